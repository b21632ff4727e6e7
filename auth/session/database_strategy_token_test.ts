import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { hashText as hashSessionToken } from "../lib/hash.ts";
import { createSecret as createSessionToken, isSecret as isSessionToken } from "../lib/secret.ts";
import { createSessionId } from "./database_strategy.ts";

// Tracks: R031
Deno.test("createSessionToken() gives 32 random bytes as base64url", () => {
  const tokens = new Set(Array.from({ length: 1000 }, createSessionToken));
  assert.equal(tokens.size, 1000);
  for (const token of tokens) assert.ok(isSessionToken(token));
  assert.match(createSessionId(), /^[A-Za-z0-9_-]{22}$/);
});

// Tracks: R032, Lucia v3 note. The table is asked for this, so how long it takes says nothing of a token.
Deno.test("hashSessionToken() is SHA-256 in base64url, as node:crypto computes it", () => {
  for (let index = 0; index < 50; index++) {
    const token = createSessionToken();
    assert.equal(hashSessionToken(token), createHash("sha256").update(token).digest("base64url"));
  }
});

Deno.test("isSessionToken() is false for what can be none", () => {
  const token = createSessionToken();
  for (
    const text of [
      "",
      token.slice(1),
      `${token}A`,
      ` ${token.slice(1)}`,
      `${token.slice(1)}=`,
      `${token}\n`,
    ]
  ) {
    assert.equal(isSessionToken(text), false);
  }
});
