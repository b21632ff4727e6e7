import assert from "node:assert/strict";
import crypto from "node:crypto";
import { hashText, hmacSha256 as portableHmac, sha256 as portable } from "./portable_sha256.ts";
import type { Sha256 } from "./sha256.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7);

/** The file for workers, as it is where the platform has `node:crypto` and where it has none. */
async function loadNative(found: typeof crypto | undefined): Promise<Sha256> {
  const { process } = globalThis as { process?: unknown };
  Object.assign(globalThis, { process: { versions: {}, getBuiltinModule: () => found } });
  try {
    const name = found === undefined ? "none" : "found";
    const native: Sha256 = await import(`./native_sha256.ts?${name}`);
    // It looks once, when it is first asked.
    if (found !== undefined) native.sha256(KEY);
    return native;
  } finally {
    Object.assign(globalThis, { process });
  }
}

// Tracks: R047
Deno.test("both ways to compute SHA-256 and its HMAC give the same", async () => {
  const native = await loadNative(crypto);
  const [byPlatform, byHand] = [native.hmacSha256(KEY), portableHmac(KEY)];
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    const expected = crypto.createHash("sha256").update(bytes).digest("hex");
    assert.equal(portable(bytes).toHex(), expected);
    assert.equal(native.sha256(bytes).toHex(), expected);
    const signed = crypto.createHmac("sha256", KEY).update(bytes).digest("hex");
    assert.equal(byHand(bytes).toHex(), signed);
    assert.equal(byPlatform(bytes).toHex(), signed);
  }
});

Deno.test("both ways to hash a text give the same, of any length", async () => {
  const native = await loadNative(crypto);
  for (const length of [0, 1, 21, 22, 43, 63, 64, 65, 300]) {
    for (const letter of ["x", "é", "\u{1F511}", "\uD800"]) {
      const text = letter.repeat(length);
      const expected = crypto.createHash("sha256").update(text).digest("base64url");
      assert.equal(hashText(text), expected);
      assert.equal(native.hashText(text), expected);
    }
  }
});

Deno.test("a worker without node:crypto is told which flag it needs", async () => {
  const native = await loadNative(undefined);
  const refusal = { code: "CONFIGURATION", message: /nodejs_compat/ };
  assert.throws(() => native.sha256(KEY), refusal);
  assert.throws(() => native.hmacSha256(KEY)(KEY), refusal);
});
