import assert from "node:assert/strict";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { createTextKey } from "./hash.ts";
import { createPurposeKey, derivePurposeKey } from "./keys.ts";

// Tracks: K5, R050
Deno.test("derivePurposeKey() is HKDF with SHA-256, as node:crypto computes it", async () => {
  for (const secret of ["s".repeat(32), "ü".repeat(40), "x".repeat(500)]) {
    const salt = createHash("sha256").update("@framework/auth").digest();
    const expected = hkdfSync("sha256", secret, salt, "session-jwt", 32);
    assert.deepEqual(await derivePurposeKey(secret, "session-jwt"), new Uint8Array(expected));
  }
});

// Tracks: K5, R050, CVE-2023-48309
Deno.test("createPurposeKey() signs with the derived key and verifies nothing else, from the first text on", async () => {
  const secret = "s".repeat(32);
  const key = await derivePurposeKey(secret, "email-code");
  const expected = createHmac("sha256", key).update("text").digest("base64url");
  const made = createPurposeKey(secret, "email-code");
  // Before any of them knows the key, and after.
  for (let time = 0; time < 2; time++) {
    const answers = [
      made.sign("text"),
      made.verify("text", expected),
      made.verify("texts", expected),
      made.verify("text", ""),
    ];
    assert.deepEqual(await Promise.all(answers), [expected, true, false, false]);
  }
  const others = [
    createPurposeKey(secret, "session-jwt"),
    createPurposeKey(`${secret}s`, "email-code"),
  ];
  for (const other of others) assert.equal(await other.verify("text", expected), false);
});

// Tracks: R059
Deno.test("createTextKey() computes the HMAC that node:crypto computes, any number of times", async () => {
  const key = await derivePurposeKey("s".repeat(32), "session-jwt");
  const { sign } = createTextKey(key);
  for (let length = 0; length < 200; length++) {
    const text = "é".repeat(length);
    const expected = createHmac("sha256", key).update(text).digest("base64url");
    assert.equal(await sign(text), expected);
  }
});

// Tracks: R059, GHSA-869p-cjfg-cm3x
Deno.test("createTextKey() throws for a key that is too short, or longer than a block of the hash", () => {
  // Those of tokens are derived, and as long as the hash; webhooks have from 24 bytes on.
  for (const length of [0, 1, 16, 23, 65, 128]) {
    assert.throws(() => createTextKey(new Uint8Array(length)), TypeError);
  }
  for (const length of [24, 32, 64]) createTextKey(new Uint8Array(length));
});

Deno.test("derivePurposeKey() makes keys as long as the hash, of secrets of any length", async () => {
  for (const length of [1, 32, 500]) {
    assert.equal((await derivePurposeKey("s".repeat(length), "session-jwt")).length, 32);
  }
});
