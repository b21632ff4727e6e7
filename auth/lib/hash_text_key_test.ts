import assert from "node:assert/strict";
import crypto from "node:crypto";
import { asWorker } from "../tests/as_worker.ts";
import { createTextKey, hashText } from "./hash.ts";
import type { NodeCrypto } from "./runtime.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7);
const NODE = crypto as unknown as NodeCrypto;

/** Every way to make a key. */
const WAYS = [
  () => createTextKey(KEY),
  () => createTextKey(KEY, null),
  () => createTextKey(KEY, NODE),
];

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

function expectedOf(text: string): string {
  return crypto.createHmac("sha256", KEY).update(text).digest("base64url");
}

// Tracks: R047, R059
Deno.test("createTextKey() signs and verifies the same by every primitive, in any order", async () => {
  const keys = WAYS.map((make) => make());
  for (const text of texts()) {
    const expected = expectedOf(text);
    for (const key of keys) {
      assert.equal(await key.sign(text), expected, `${text.length} characters`);
      assert.equal(await key.verify(text, expected), true, `${text.length} characters`);
      assert.equal(await key.verify(`${text}x`, expected), false, `${text.length} characters`);
    }
  }
});

// Tracks: R054
Deno.test("verify() knows one spelling of a signature and no other, by every primitive", async () => {
  const signature = expectedOf("text");
  const last = signature.at(-1)!;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const others = [...alphabet].filter((one) => one !== last).map((one) =>
    signature.slice(0, -1) + one
  );
  const spellings = [
    "",
    ...others,
    `${signature}=`,
    `${signature}A`,
    `${signature}\n`,
    ` ${signature}`,
    signature.slice(1),
    signature.slice(0, -1),
    `${signature.slice(0, -1)}\u00ff`,
    `${signature.slice(0, -1)}${String.fromCharCode(last.charCodeAt(0) + 256)}`,
    signature.replace(/./, "+"),
    Buffer.from(signature, "base64url").toString("hex"),
  ];
  for (const make of WAYS) {
    const key = make();
    assert.equal(await key.verify("text", signature), true);
    for (const spelling of spellings) {
      assert.equal(await key.verify("text", spelling), false, spelling);
    }
  }
});

// Tracks: R047
Deno.test("many questions at once to one key each get their own answer", async () => {
  for (const make of WAYS) {
    const key = make();
    const list = [...texts()];
    const answers = await Promise.all(list.flatMap((text, index) => {
      const other = list[(index + 1) % list.length]!;
      return [
        key.sign(text),
        key.verify(text, expectedOf(text)),
        key.verify(text, expectedOf(other)),
      ];
    }));
    assert.deepEqual(answers, list.flatMap((text) => [expectedOf(text), true, false]));
  }
});

Deno.test("createTextKey() throws for a key that is too short or longer than a block, by every primitive", () => {
  for (const length of [0, 16, 23, 65, 128]) {
    const key = new Uint8Array(length);
    for (const node of [null, NODE]) {
      assert.throws(() => createTextKey(key, node), TypeError);
    }
  }
});

Deno.test("a key may have 24 to 64 bytes, by every primitive", async () => {
  for (let length = 24; length <= 64; length++) {
    const key = crypto.randomBytes(length);
    const expected = crypto.createHmac("sha256", key).update("text").digest("base64url");
    for (const node of [null, NODE]) {
      assert.equal(await createTextKey(key, node).sign("text"), expected, `${length} bytes`);
    }
  }
});

Deno.test("keys and hashes answer at once outside of workers, and by a promise in one", async () => {
  assert.equal(typeof createTextKey(KEY).sign("text"), "string");
  assert.equal(typeof hashText("text"), "string");
  await asWorker(async () => {
    const key = createTextKey(KEY);
    const signature = key.sign("text");
    assert.ok(signature instanceof Promise);
    assert.equal(await signature, expectedOf("text"));
    const hash = hashText("text");
    assert.ok(hash instanceof Promise);
    await hash;
  });
});
