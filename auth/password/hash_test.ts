import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { scryptSync } from "node:crypto";
import { InvalidPasswordError } from "../errors.ts";
import {
  createPasswordHasher,
  hashPassword,
  needsRehash,
  parsePhc,
  type ScryptCost,
  verifyPassword,
} from "./hash.ts";

/** A hasher whose derivations are counted and cost nothing. */
function countingHasher() {
  const costs: ScryptCost[] = [];
  const hasher = createPasswordHasher({
    derive(password, salt, length, { ln, r, p }) {
      costs.push({ ln, r, p });
      const key = new Uint8Array(length);
      for (const [index, byte] of [...password, ...salt].entries()) {
        key[index % length]! += byte * (index + 1);
      }
      return Promise.resolve(key);
    },
  });
  return { hasher, costs };
}

// Tracks: R001, R002, R003
Deno.test("hashPassword() writes a PHC string that node:crypto computes too", async () => {
  const hash = await hashPassword("correct horse battery staple");
  assert.match(hash, /^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  const { salt, key } = parsePhc(hash)!;
  const peer = scryptSync("correct horse battery staple", salt, 32, {
    N: 16384,
    r: 8,
    p: 5,
    maxmem: 64 * 1024 * 1024,
  });
  assert.deepEqual(Buffer.from(key), peer);
});

// Tracks: R005. The hash was made by Python's hashlib.scrypt.
Deno.test("verifyPassword() accepts a hash that another implementation made", async () => {
  const hash =
    "$scrypt$ln=14,r=8,p=5$ZGVmZ2hpamtsbW5vcHFycw$iim0h/OLZ2gCPYlYGmz5GYZk1SMFXzmzJN9y0jwqYw4";
  assert.equal(await verifyPassword("correct horse battery staple", hash), true);
  assert.equal(await verifyPassword("correct horse battery stapl", hash), false);
});

// Tracks: R003
Deno.test("hashPassword() salts every hash anew", async () => {
  const { hasher } = countingHasher();
  const hashes = new Set<string>();
  for (let index = 0; index < 1000; index++) hashes.add(await hasher.hash("same"));
  assert.equal(hashes.size, 1000);
});

// Tracks: R006
Deno.test("verifyPassword() does not shorten, fold case or stop at NUL", async () => {
  const { hasher } = countingHasher();
  const pairs = [["a".repeat(72) + "b", "a".repeat(72) + "c"], ["a\0b", "a\0c"], ["A", "a"], [
    " a",
    "a",
  ]];
  for (const [one, other] of pairs) {
    const hash = await hasher.hash(one!);
    assert.equal(await hasher.verify(one!, hash), true);
    assert.equal(await hasher.verify(other!, hash), false);
  }
});

// Tracks: R007
Deno.test("verifyPassword() takes composed and decomposed letters for one, and ligatures apart", async () => {
  const { hasher } = countingHasher();
  const hash = await hasher.hash("caf\u00e9");
  assert.equal(await hasher.verify("cafe\u0301", hash), true);
  assert.equal(await hasher.verify("fi", await hasher.hash("\ufb01")), false);
});

// Tracks: R008
Deno.test("hashPassword() takes 1,024 bytes and not one more, without deriving", async () => {
  const { hasher, costs } = countingHasher();
  for (const length of [64, 128, 1000, 1024]) {
    assert.equal(
      await hasher.verify("x".repeat(length), await hasher.hash("x".repeat(length))),
      true,
    );
  }
  const before = costs.length;
  const hash =
    "$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
  for (const password of ["x".repeat(1025), "é".repeat(513), "x".repeat(1024 * 1024)]) {
    await assert.rejects(hasher.hash(password), InvalidPasswordError);
    assert.equal(await hasher.verify(password, hash), false);
    assert.equal(await hasher.verify(password, null), false);
  }
  assert.equal(costs.length, before);
});

// Tracks: F32
Deno.test("hashPassword() refuses lone surrogates, which UTF-8 would make one character", async () => {
  const { hasher } = countingHasher();
  await assert.rejects(hasher.hash("a\ud800"), InvalidPasswordError);
  assert.equal(await hasher.verify("a\ud800", await hasher.hash("a\ufffd")), false);
  assert.equal(await hasher.verify("😀".repeat(15), await hasher.hash("😀".repeat(15))), true);
});

// Tracks: R012
Deno.test("verifyPassword() does the same work for a user who does not exist", async () => {
  const { hasher, costs } = countingHasher();
  const hash = await hasher.hash("right");
  costs.length = 0;
  assert.equal(await hasher.verify("wrong", hash), false);
  assert.equal(await hasher.verify("wrong", null), false);
  assert.equal(await hasher.verify("wrong", undefined), false);
  assert.deepEqual(costs, Array(3).fill({ ln: 14, r: 8, p: 5 }));
});

Deno.test("verifyPassword() is false without a hash, also when the derived key would match", async () => {
  const hasher = createPasswordHasher({
    derive: (_password, _salt, length) => Promise.resolve(new Uint8Array(length)),
  });
  assert.equal(await hasher.verify("anything", null), false);
});

// Tracks: R009
Deno.test("verifyPassword() is false and derives nothing when the hash is hostile or no text", async () => {
  const { hasher, costs } = countingHasher();
  const hostile = [
    "",
    "x",
    "$scrypt$ln=31,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  ];
  for (const hash of hostile) assert.equal(await hasher.verify("p", hash), false);
  assert.equal(costs.length, 0);
  assert.equal(await hasher.verify(1 as unknown as string, null), false);
});

Deno.test("verifyPassword() asks verifyLegacy about hashes of other libraries, and about nothing else", async () => {
  const { hasher, costs } = countingHasher();
  const asked: [string, string][] = [];
  function verifyLegacy(password: string, hash: string): Promise<boolean> {
    asked.push([password, hash]);
    return Promise.resolve(hash === "$2b$10$right");
  }
  const own = await hasher.hash("right");
  costs.length = 0;
  assert.equal(await hasher.verify("e\u0301", "$2b$10$right", { verifyLegacy }), true);
  assert.equal(await hasher.verify("p", "$2b$10$wrong", { verifyLegacy }), false);
  assert.deepEqual(asked, [["e\u0301", "$2b$10$right"], ["p", "$2b$10$wrong"]]);
  assert.equal(costs.length, 0);
  asked.length = 0;
  assert.equal(await hasher.verify("right", own, { verifyLegacy }), true);
  for (const hash of [null, undefined, "", "$scrypt$ln=31,r=8,p=1$AAAA$AAAA", "$scrypt$"]) {
    assert.equal(await hasher.verify("right", hash, { verifyLegacy }), false);
  }
  assert.equal(await hasher.verify("x".repeat(1025), "$2b$10$right", { verifyLegacy }), false);
  assert.deepEqual(asked, []);
});

// Tracks: R028
Deno.test("verifyPassword() takes only true for a yes of verifyLegacy; what it throws is a no, with the work for nobody", async () => {
  const { hasher, costs } = countingHasher();
  for (const answer of [1, "yes", {}, undefined]) {
    const verifyLegacy = () => answer as never;
    assert.equal(await hasher.verify("p", "$2b$10$x", { verifyLegacy }), false);
  }
  const verifyLegacy = () => {
    throw new Error("Invalid salt");
  };
  const { error: write } = globalThis.console;
  const lines: string[] = [];
  Object.assign(globalThis.console, { error: (line: string) => lines.push(line) });
  try {
    assert.equal(await hasher.verify("p", null), false);
    const work = costs.splice(0);
    const options = { verifyLegacy, userId: "ada" };
    assert.equal(await hasher.verify("p", "$2b$10$x", options), false);
    assert.deepEqual(costs, work);
  } finally {
    Object.assign(globalThis.console, { error: write });
  }
  const [{ event, userId, error }] = lines.map((line) => JSON.parse(line)) as [
    { event: string; userId: string; error: { message: string } },
  ];
  assert.deepEqual([event, userId, error.message], ["verify-legacy-failed", "ada", "Invalid salt"]);
  assert.equal(await hasher.verify("p", await hasher.hash("p")), true);
});

// Tracks: R011
Deno.test("needsRehash() is true for everything but the present parameters", async () => {
  assert.equal(needsRehash(await hashPassword("x")), false);
  const key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
  assert.equal(needsRehash(`$scrypt$ln=13,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$${key}`), true);
  assert.equal(needsRehash(`$scrypt$ln=14,r=8,p=4$AAECAwQFBgcICQoLDA0ODw$${key}`), true);
  assert.equal(needsRehash(`$scrypt$ln=14,r=8,p=5$AAECAwQFBgc$${key}`), true);
  assert.equal(needsRehash("$2b$10$abcdefghijklmnopqrstuv"), true);
  assert.equal(needsRehash(null as unknown as string), true);
});
