import assert from "node:assert/strict";
import nodeCrypto from "node:crypto";
import { createTextKey } from "./hash.ts";
import type { NodeCrypto } from "./runtime.ts";

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
}

/** A shorter key is one that ends in zeros (RFC 2104, section 2). */
function padded(key: Uint8Array): Uint8Array {
  const long = new Uint8Array(32);
  long.set(key);
  return long;
}

// Tracks: R047
Deno.test("createTextKey() gives what RFC 4231 publishes for texts and keys of up to 32 bytes", async () => {
  const vectors: [key: string, text: string, mac: string][] = [
    [
      "0b".repeat(20),
      "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      "4a656665",
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
  ];
  for (const [key, text, mac] of vectors) {
    for (const node of [null, nodeCrypto as unknown as NodeCrypto]) {
      const signature = await createTextKey(padded(bytes(key)), node).sign(text);
      assert.equal(signature, bytes(mac).toBase64({ alphabet: "base64url", omitPadding: true }));
    }
  }
});
