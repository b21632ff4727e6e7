import assert from "node:assert/strict";
import crypto from "node:crypto";
import process from "node:process";
import { createAuthenticator, createTextAuthenticator } from "./hmac.ts";
import { findNativeCrypto, type NativeCrypto } from "./native_crypto.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7);

/** Texts of every length around a block and around the room to encode into, and what is no well-formed text. */
function* texts(): Generator<string> {
  for (let length = 0; length < 260; length++) yield "a.Z_-9".repeat(50).slice(0, length);
  for (const length of [3800, 4095, 4096, 4097, 11_400, 12_287, 12_288, 12_289, 40_000]) {
    yield "x".repeat(length);
    yield "é".repeat(length);
    yield "\u{1F511}".repeat(length);
  }
  yield* ["\uD800", "a\uDC00b", "\uDBFF\uDBFF", "\u0000", "\uFEFFx"];
}

// Tracks: R047, R059
Deno.test("createTextAuthenticator() gives the same by every primitive, in any order", () => {
  const byHand = createTextAuthenticator(KEY, null);
  const native = createTextAuthenticator(KEY, crypto as unknown as NativeCrypto);
  const found = createTextAuthenticator(KEY);
  for (const text of texts()) {
    const expected = crypto.createHmac("sha256", KEY).update(text).digest("base64url");
    assert.equal(byHand(text), expected, `${text.length} characters`);
    assert.equal(native(text), expected, `${text.length} characters`);
    assert.equal(found(text), expected, `${text.length} characters`);
  }
});

Deno.test("createTextAuthenticator() throws for a key of another length, by every primitive", () => {
  for (const native of [null, crypto as unknown as NativeCrypto]) {
    assert.throws(() => createTextAuthenticator(KEY.slice(1), native), TypeError);
  }
});

Deno.test("findNativeCrypto() finds nothing in Deno, where it would be slower", () => {
  assert.ok("getBuiltinModule" in process);
  assert.equal(findNativeCrypto(), null);
});

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
