import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { readCookieOptions } from "./cookie_options.ts";

// Tracks: R061
Deno.test("readCookieOptions() throws for what a browser would drop in silence", () => {
  const wrong: [object, string][] = [
    [{ name: "__Host-s", options: { secure: false } }, "options.secure"],
    [{ name: "__host-s", options: { secure: false } }, "options.secure"],
    [{ name: "__Host-s", options: { path: "/app" } }, "options.path"],
    [{ name: "__Host-s", options: { domain: "app.example" } }, "options.domain"],
    [{ name: "__HOST-s", options: { domain: "app.example" } }, "options.domain"],
    [{ name: "__Secure-s", options: { secure: false } }, "options.secure"],
    [{ name: "__Http-s", options: { httpOnly: false } }, "options.httpOnly"],
    [{ name: "__Host-Http-s", options: { httpOnly: false } }, "options.httpOnly"],
    [{ name: "__Host-Http-s", options: { path: "/x" } }, "options.path"],
    [{ options: { sameSite: "none", secure: false } }, "options.secure"],
    [{ hostOnly: true, options: { secure: false } }, "options.secure"],
    [{ hostOnly: true, options: { path: "/app" } }, "options.path"],
    [{ hostOnly: true, options: { domain: "app.example" } }, "options.domain"],
    [{ hostOnly: true, name: "__Secure-s" }, "name"],
  ];
  for (const [sessionToken, field] of wrong) {
    assert.throws(
      () => readCookieOptions({ sessionToken }),
      (error) =>
        error instanceof ConfigurationError && error.field === `cookies.sessionToken.${field}`,
      JSON.stringify(sessionToken),
    );
  }
});

// Tracks: R061, R078
Deno.test("readCookieOptions() throws for what is no name, path, domain or attribute", () => {
  const wrong: object[] = [
    { name: "" },
    { name: "a b" },
    { name: "a=b" },
    { name: "a;b" },
    { name: "a\r\nb" },
    { name: "é" },
    { name: 5 },
    { nme: "s" },
    { hostOnly: "yes" },
    { options: { path: "app" } },
    { options: { path: "/a;b" } },
    { options: { path: "/a\nb" } },
    { options: { path: "/é" } },
    { options: { domain: "a b" } },
    { options: { domain: ".app.example" } },
    { options: { domain: "127.0.0.1" } },
    { options: { domain: "app.example; Path=/" } },
    { options: { domain: "" } },
    { options: { sameSite: "Lax" } },
    { options: { sameSite: true } },
    { options: { secure: "yes" } },
    { options: { httpOnly: 1 } },
    { options: { maxAge: 5 } },
  ];
  for (const sessionToken of wrong) {
    assert.throws(
      () => readCookieOptions({ sessionToken }),
      ConfigurationError,
      JSON.stringify(sessionToken),
    );
  }
  assert.throws(() => readCookieOptions({ session: {} }), ConfigurationError);
});

Deno.test("readCookieOptions() makes the cookie secure where its name or SameSite demands it", () => {
  assert.equal(readCookieOptions({ sessionToken: { name: "__Host-s" } }).secure, true);
  assert.equal(readCookieOptions({ sessionToken: { options: { sameSite: "none" } } }).secure, true);
  assert.equal(readCookieOptions({ sessionToken: { options: { secure: false } } }).secure, false);
  assert.equal(
    readCookieOptions({ sessionToken: { options: { domain: "App.Example" } } }).domain,
    "app.example",
  );
});
