import assert from "node:assert/strict";
import { serializeCookie } from "./cookie.ts";

const ATTRIBUTES = {
  secure: true,
  httpOnly: true,
  sameSite: "lax",
  path: "/",
  domain: null,
} as const;

// Tracks: R060, R062
Deno.test("serializeCookie() writes every attribute out, SameSite always", () => {
  assert.equal(
    serializeCookie({ name: "s", value: "v", maxAge: 60 }, ATTRIBUTES),
    "s=v; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
  );
  assert.equal(
    serializeCookie({ name: "s", value: "v", maxAge: 60 }, {
      secure: false,
      httpOnly: false,
      sameSite: "strict",
      path: "/app",
      domain: "example.com",
    }),
    "s=v; Path=/app; Max-Age=60; Domain=example.com; SameSite=Strict",
  );
});

// Tracks: R064
Deno.test("serializeCookie() removes a cookie with a lifetime of 0", () => {
  assert.equal(
    serializeCookie({ name: "s", value: "", maxAge: 0 }, ATTRIBUTES),
    "s=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax",
  );
});

// Tracks: R061, R078, hono a586cd72
Deno.test("serializeCookie() throws when the value has a character that a cookie cannot hold", () => {
  for (
    const value of [
      "a;b",
      "a\r\nSet-Cookie: x=y",
      "a b",
      'a"b',
      "a,b",
      "a\\b",
      "é",
      "\u010a\u010d",
      "\0",
    ]
  ) {
    assert.throws(() => serializeCookie({ name: "s", value, maxAge: 1 }, ATTRIBUTES), TypeError);
  }
});
