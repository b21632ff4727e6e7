import assert from "node:assert/strict";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { createAuthenticator } from "./hmac.ts";
import { derivePurposeKey } from "./purpose_key.ts";

// Tracks: K5, R050
Deno.test("derivePurposeKey() is HKDF with SHA-256, as node:crypto computes it", () => {
  for (const secret of ["s".repeat(32), "ü".repeat(40), "x".repeat(500)]) {
    const salt = createHash("sha256").update("@framework/auth").digest();
    const expected = hkdfSync("sha256", secret, salt, "session-jwt", 32);
    assert.deepEqual(derivePurposeKey(secret, "session-jwt"), new Uint8Array(expected));
  }
});

// Tracks: R059
Deno.test("createAuthenticator() computes the HMAC that node:crypto computes, any number of times", () => {
  const key = derivePurposeKey("s".repeat(32), "session-jwt");
  const authenticate = createAuthenticator(key);
  for (let length = 0; length < 200; length++) {
    const text = "é".repeat(length);
    const expected = createHmac("sha256", key).update(text).digest();
    assert.deepEqual(authenticate(text), new Uint8Array(expected));
  }
});

// Tracks: R059, GHSA-869p-cjfg-cm3x
Deno.test("createAuthenticator() throws for a key that is not as long as the hash", () => {
  for (const length of [0, 1, 16, 31, 33, 64]) {
    assert.throws(() => createAuthenticator(new Uint8Array(length)), TypeError);
  }
});
