import assert from "node:assert/strict";
import crypto from "node:crypto";
import { asWorker } from "../tests/as_worker.ts";
import { createTextCipher } from "./cipher.ts";
import type { NodeCrypto } from "./runtime.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7);
const OTHER = KEY.toReversed();
const NODE = crypto as unknown as NodeCrypto;

/** Every way to make a key. */
const WAYS = [
  (key: Uint8Array) => createTextCipher(key),
  (key: Uint8Array) => createTextCipher(key, null),
  (key: Uint8Array) => createTextCipher(key, NODE),
];

/** Texts around the size of a block, long ones, and what UTF-8 has of its own. */
function* texts(): Generator<string> {
  for (let length = 0; length < 50; length++) yield "a.Z_-9é".repeat(10).slice(0, length);
  yield* ["\u{1F511}".repeat(1000), "x".repeat(100_000), "\uFEFFx", "\u0000", ""];
}

// Tracks: R106
Deno.test("each primitive decrypts what another has encrypted, with a nonce of its own each time", async () => {
  const nonces = new Set<string>();
  for (const encrypts of WAYS) {
    for (const text of texts()) {
      const bytes = await encrypts(KEY).encrypt(text, "place");
      assert.equal(bytes.length, 12 + new TextEncoder().encode(text).length + 16);
      nonces.add(bytes.slice(0, 12).toString());
      for (const decrypts of WAYS) {
        assert.equal(await decrypts(KEY).decrypt(bytes, "place"), text);
      }
    }
  }
  assert.equal(nonces.size, WAYS.length * [...texts()].length);
});

// Tracks: R106, K5
Deno.test("no primitive decrypts what was changed, cut or lengthened, or is of another key or place", async () => {
  for (const make of WAYS) {
    const cipher = make(KEY);
    const bytes = await cipher.encrypt("token", "place");
    assert.equal(await make(OTHER).decrypt(bytes, "place"), null);
    for (const place of ["", "Place", "place ", "plac"]) {
      assert.equal(await cipher.decrypt(bytes, place), null, place);
    }
    for (let index = 0; index < bytes.length; index++) {
      for (const bit of [1, 128]) {
        const changed = bytes.slice();
        changed[index]! ^= bit;
        assert.equal(await cipher.decrypt(changed, "place"), null, `bit ${bit} of byte ${index}`);
      }
      // A tag of fewer bytes would be guessed sooner (NIST SP 800-38D, appendix C).
      assert.equal(await cipher.decrypt(bytes.slice(0, index), "place"), null, `${index} bytes`);
      assert.equal(await cipher.decrypt(bytes.slice(index + 1), "place"), null, `from ${index}`);
    }
    assert.equal(await cipher.decrypt(new Uint8Array([...bytes, 0]), "place"), null);
    assert.equal(await cipher.decrypt(bytes, "place"), "token");
  }
});

Deno.test("a text that is not well-formed is encrypted as its UTF-8, by every primitive", async () => {
  for (const make of WAYS) {
    const cipher = make(KEY);
    const bytes = await cipher.encrypt("a\uD800b", "\uDC00");
    assert.equal(await cipher.decrypt(bytes, "\uFFFD"), "a\uFFFDb");
  }
});

Deno.test("createTextCipher() throws for a key of another length, by every primitive", () => {
  for (const length of [0, 16, 24, 31, 33, 64]) {
    for (const node of [null, NODE]) {
      assert.throws(() => createTextCipher(new Uint8Array(length), node), TypeError);
    }
  }
});

Deno.test("a cipher answers at once outside of workers, and by a promise in one", async () => {
  const bytes = createTextCipher(KEY).encrypt("text", "");
  assert.ok(bytes instanceof Uint8Array);
  assert.equal(createTextCipher(KEY).decrypt(bytes, ""), "text");
  await asWorker(async () => {
    const opened = createTextCipher(KEY).decrypt(bytes, "");
    assert.ok(opened instanceof Promise);
    assert.equal(await opened, "text");
  });
});

Deno.test("where node:crypto has no ciphers, WebCrypto encrypts", async () => {
  const bytes = createTextCipher(KEY, { hash: NODE.hash }).encrypt("text", "");
  assert.ok(bytes instanceof Promise);
  assert.equal(await createTextCipher(KEY, NODE).decrypt(await bytes, ""), "text");
});
