import assert from "node:assert/strict";
import { createAuthenticator } from "./portable_sha256.ts";

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
Deno.test("createAuthenticator() gives what RFC 4231 publishes for keys of up to 32 bytes", () => {
  const vectors: [key: string, data: string, mac: string][] = [
    [
      "0b".repeat(20),
      "4869205468657265",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      "4a656665",
      "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      "aa".repeat(20),
      "dd".repeat(50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ],
    [
      "0102030405060708090a0b0c0d0e0f10111213141516171819",
      "cd".repeat(50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
  ];
  for (const [key, data, mac] of vectors) {
    assert.deepEqual(createAuthenticator(padded(bytes(key)))(bytes(data)), bytes(mac));
  }
});
