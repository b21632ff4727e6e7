import assert from "node:assert/strict";
import crypto from "node:crypto";
import * as native from "./native_sha256.ts";
import * as portable from "./portable_sha256.ts";
import type { Sha256 } from "./sha256.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7);
const WAYS: readonly Pick<Sha256 | typeof portable, "hashText">[] = [native, portable];

// Tracks: R047
Deno.test("hmacSha256() computes the HMAC that node:crypto computes, for any length", () => {
  const authenticate = portable.hmacSha256(KEY);
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    const signed = crypto.createHmac("sha256", KEY).update(bytes).digest("hex");
    assert.equal(authenticate(bytes).toHex(), signed);
  }
});

Deno.test("both ways to hash a text give what node:crypto gives, for any length", async () => {
  for (const length of [0, 1, 21, 22, 43, 55, 56, 63, 64, 65, 119, 120, 300, 1000]) {
    for (const letter of ["x", "é", "\u{1F511}", "\uD800"]) {
      const text = letter.repeat(length);
      const expected = crypto.createHash("sha256").update(text).digest("base64url");
      for (const { hashText } of WAYS) assert.equal(await hashText(text), expected);
    }
  }
});
