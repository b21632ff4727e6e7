import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { fromBase64, fromBase64UrlText, toBase64, toBase64Url, toHex } from "./encoding.ts";
import { randomBytes } from "./secret.ts";

Deno.test("toBase64Url(), toBase64() and toHex() agree with node:buffer for every length", () => {
  for (let length = 0; length <= 66; length++) {
    const bytes = randomBytes(length);
    const peer = Buffer.from(bytes);
    assert.equal(toBase64Url(bytes), peer.toString("base64url"));
    assert.equal(toBase64(bytes), peer.toString("base64").replace(/=+$/, ""));
    assert.equal(toHex(bytes), peer.toString("hex"));
    assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
  }
});

Deno.test("toBase64Url() gives the same where the platform cannot do it", () => {
  const all = Array.from({ length: 67 }, (_, length) => randomBytes(length));
  // More than any platform takes as arguments: what outgrows a cookie is found too large only when it is signed.
  all.push(new Uint8Array(1_000_000).fill(7));
  const expected = all.map((bytes) => toBase64Url(bytes));
  const { prototype } = Uint8Array;
  const own = Object.getOwnPropertyDescriptor(prototype, "toBase64")!;
  assert.ok(Reflect.deleteProperty(prototype, "toBase64"));
  try {
    assert.deepEqual(all.map((bytes) => toBase64Url(bytes)), expected);
  } finally {
    Object.defineProperty(prototype, "toBase64", own);
  }
});

Deno.test("fromBase64() returns null when the text is not canonical base64", () => {
  // "AB" has unused bits that are set: two texts would be one value.
  for (const text of ["A", "AAAAA", "AB", "A=", "AA==", "A-", "A_", "A A", "é", "AA\n"]) {
    assert.equal(fromBase64(text), null, JSON.stringify(text));
  }
});

// Tracks: K11
Deno.test("fromBase64UrlText() reads UTF-8 in base64url, and null for anything else", () => {
  for (const text of ["", "a", "ab", "abc", "é✓😀", '{"sub":"ada"}', "\ufeffx", "\u0000"]) {
    assert.equal(fromBase64UrlText(toBase64Url(new TextEncoder().encode(text))), text);
  }
  for (
    const wrong of [
      "A",
      "QQ=",
      "QQ==",
      "Q Q",
      "QQ\n",
      "QQ QQ",
      "QQ  QQ",
      " QQ",
      "QUJ\tD",
      "+A",
      "/A",
      "é",
      "_w",
      "4oI",
      "%",
      ".",
    ]
  ) {
    assert.equal(fromBase64UrlText(wrong), null, wrong);
  }
});
