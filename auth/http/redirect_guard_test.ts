import assert from "node:assert/strict";
import {
  guardRedirect,
  ownRedirect,
  redirectResponse,
  type SafeRedirect,
} from "./redirect_guard.ts";

const OWN = "https://app.example";
const BOUNDS = { ownOrigin: OWN, trustedOrigins: new Set(["https://admin.example"]) };

/** Addresses that lead, or try to lead, elsewhere. */
const HOSTILE = [
  "//evil.example",
  "///evil.example",
  "////evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "\\/evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r/evil.example",
  "\t//evil.example",
  " //evil.example",
  "\u0000//evil.example",
  "\u0085//evil.example",
  "https://evil.example",
  "HTTPS://EVIL.example",
  "https:\\\\evil.example",
  "https:/\\evil.example",
  "https:///evil.example",
  "http://app.example",
  "https://app.example:8443",
  "https://app.example.evil.example",
  "https://app.example@evil.example",
  "https://evil.example#@app.example",
  "https://evil.example\\@app.example",
  "https://evil.example?app.example",
  "https://evilapp.example",
  "https://sub.app.example",
  "https://app.example.",
  "https://user@app.example/",
  "https://user:password@app.example/",
  "https://evil。example",
  "https://evil%E3%80%82example",
  "//evil%E3%80%82example",
  "https://admin.example.evil.example",
  "https://x.admin.example",
  "https://admin.example:1@evil.example",
  "http://admin.example",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\tscript:alert(1)",
  " javascript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://app.example/00000000",
  "about:blank",
  "ftp://app.example/",
  "ws://app.example/",
  "https://[::1]/",
  "https://[app.example",
  "http://",
  "https://app.example:99999",
  "/path\r\nSet-Cookie: a=b",
  "/path\u2028\r\n",
  "",
  `/${"a".repeat(3000)}`,
];

// Tracks: R077, CVE-2024-56734, CVE-2025-27143, CVE-2025-71403, CVE-2022-24858, CVE-2022-29214
Deno.test("guardRedirect() refuses whatever leaves the application", () => {
  for (const target of HOSTILE) {
    assert.equal(guardRedirect(target, BOUNDS), null, JSON.stringify(target));
  }
});

// Tracks: CVE-2022-31093
Deno.test("guardRedirect() refuses what is no text, without throwing", () => {
  for (const target of [undefined, null, 5, {}, [], ["/x"], new URL(OWN), true, Symbol("x")]) {
    assert.equal(guardRedirect(target, BOUNDS), null);
  }
});

// Tracks: R077
Deno.test("guardRedirect() emits the resolved absolute URL", () => {
  const passed: [string, string][] = [
    ["/", `${OWN}/`],
    ["/dashboard?tab=1#top", `${OWN}/dashboard?tab=1#top`],
    ["dashboard", `${OWN}/dashboard`],
    ["?a=b", `${OWN}/?a=b`],
    [OWN, `${OWN}/`],
    ["https://APP.example:443/x", `${OWN}/x`],
    ["https://admin.example/x", "https://admin.example/x"],
    ["/ümlaut", `${OWN}/%C3%BCmlaut`],
    // A path of the own origin whose bare path would be another host.
    ["/..//evil.example", `${OWN}//evil.example`],
    ["/./%2e%2e//evil.example", `${OWN}//evil.example`],
    ["/%2fevil.example", `${OWN}/%2fevil.example`],
    ["/%5cevil.example", `${OWN}/%5cevil.example`],
    ["https:evil.example", `${OWN}/evil.example`],
    ["\u00a0//evil.example", `${OWN}/%C2%A0//evil.example`],
    ["/\u010a\u010d", `${OWN}/%C4%8A%C4%8D`],
  ];
  for (const [target, expected] of passed) {
    assert.equal(guardRedirect(target, BOUNDS), expected, target);
  }
});

// Tracks: R155
Deno.test("guardRedirect() does not parse what is longer than any address", () => {
  assert.equal(guardRedirect(`/${"a/../".repeat(100_000)}`, BOUNDS), null);
});

Deno.test("ownRedirect() adds parameters and refuses other origins", () => {
  assert.equal(
    ownRedirect("/login?x=1", OWN, { callbackUrl: "/a b", error: null }),
    `${OWN}/login?x=1&callbackUrl=%2Fa+b`,
  );
  assert.throws(() => ownRedirect("//evil.example", OWN), TypeError);
});

// Tracks: CVE-2025-53535
Deno.test("redirectResponse() takes only what the guard has passed", () => {
  const response = redirectResponse(guardRedirect("/x", BOUNDS)!, 303);
  assert.equal(response.headers.get("location"), `${OWN}/x`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  // @ts-expect-error A text that was not checked must not compile.
  const unchecked: SafeRedirect = "https://evil.example/";
  assert.equal(typeof unchecked, "string");
});
