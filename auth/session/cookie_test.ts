import assert from "node:assert/strict";
import { readCookieOptions, type SessionCookie } from "../core/cookie_options.ts";
import { clearedCookieLines, ONE_COOKIE, sessionCookieLines } from "./cookie.ts";

function onlyLine(
  cookie: SessionCookie,
  life: { token: string; milliseconds: number },
  origin: () => string,
): string {
  const [line, ...more] = sessionCookieLines(
    { ...cookie, tokens: ONE_COOKIE, until: 0 },
    life,
    origin,
  );
  assert.deepEqual(more, []);
  return line!;
}

const LIFE = { token: "token", milliseconds: 90_500 };

function lineFor(origin: string, options?: unknown): string {
  return onlyLine(readCookieOptions(options), LIFE, () => origin);
}

Deno.test("sessionCookieLines() has the attributes that the application says", () => {
  for (const [sameSite, written] of [["strict", "Strict"], ["lax", "Lax"], ["none", "None"]]) {
    const line = lineFor("https://app.example", { sessionToken: { options: { sameSite } } });
    assert.match(line, new RegExp(`; SameSite=${written}(?:;|$)`), sameSite);
    assert.match(line, /; HttpOnly(?:;|$)/);
  }
  const given = { sessionToken: { options: { path: "/app", domain: "app.example" } } };
  const line = lineFor("https://app.example", given);
  assert.match(line, /; Path=\/app(?:;|$)/);
  assert.match(line, /; Domain=app\.example(?:;|$)/);
});

// Tracks: R060, R068
Deno.test("sessionCookieLines() is Secure unless the own origin is plain http on a loopback host", () => {
  for (const origin of ["https://app.example", "http://app.example", "https://localhost"]) {
    assert.match(lineFor(origin), /; Secure/, origin);
  }
  for (
    const origin of [
      "http://localhost:8787",
      "http://app.localhost",
      "http://127.0.0.1",
      "http://[::1]:80",
    ]
  ) {
    assert.doesNotMatch(lineFor(origin), /Secure/, origin);
  }
});

// Tracks: R061, R069
Deno.test("sessionCookieLines() stays Secure on loopback hosts when its name or SameSite=None demands it", () => {
  for (
    const sessionToken of [{ name: "__Host-s" }, { name: "__secure-s" }, {
      options: { sameSite: "none" },
    }]
  ) {
    assert.match(lineFor("http://localhost", { sessionToken }), /; Secure/);
  }
});

Deno.test("sessionCookieLines() lives whole seconds, and at least one", () => {
  assert.match(lineFor("https://app.example"), /; Max-Age=90;/);
  const cookie = readCookieOptions(undefined);
  const line = onlyLine(
    cookie,
    { token: "t", milliseconds: 3 },
    () => "https://app.example",
  );
  assert.match(line, /; Max-Age=1;/);
});

Deno.test("sessionCookieLines() asks for the origin only when it matters", () => {
  const cookie = readCookieOptions({ sessionToken: { options: { secure: true } } });
  const line = onlyLine(cookie, LIFE, () => {
    throw new Error("asked");
  });
  assert.match(line, /; Secure/);
});

// Tracks: R064, R065
Deno.test("clearedCookieLines() removes the cookie as it was set, and one for the host alone", () => {
  const options = { sessionToken: { name: "s", options: { domain: "example.com", path: "/" } } };
  const cookie = readCookieOptions(options);
  const lines = clearedCookieLines(cookie, "s", () => "https://app.example.com");
  assert.equal(lines.length, 2);
  assert.match(
    lines[0]!,
    /^s=; Path=\/; Max-Age=0; .*Domain=example\.com; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.doesNotMatch(lines[1]!, /Domain/);
  assert.equal(
    clearedCookieLines(readCookieOptions(undefined), "s", () => "https://a.example").length,
    1,
  );
});
