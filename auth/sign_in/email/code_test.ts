import assert from "node:assert/strict";
import { codeDigest, codeMatches, createCode, readCode } from "./code.ts";

// Tracks: R014
Deno.test("createCode() makes all codes of six digits equally likely", () => {
  const digits = Array.from({ length: 6 }, () => new Array<number>(10).fill(0));
  const rounds = 20_000;
  for (let n = 0; n < rounds; n++) {
    const code = createCode();
    assert.match(code, /^\d{6}$/);
    for (const [place, digit] of [...code].entries()) digits[place]![Number(digit)]!++;
  }
  for (const counts of digits) {
    const expected = rounds / 10;
    const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 9 degrees of freedom: above 45 with a chance of less than one in a million.
    assert.ok(chi < 45, String(chi));
  }
});

// Tracks: R014, PF-e14
Deno.test("createCode() draws again where a number would make some codes likelier", () => {
  const { getRandomValues } = crypto;
  const drawn = [0xffff_ffff, 4_294_000_000, 4_293_999_999];
  crypto.getRandomValues = ((array: Uint8Array) => {
    new DataView(array.buffer).setUint32(0, drawn.shift()!);
    return array;
  }) as Crypto["getRandomValues"];
  try {
    assert.equal(createCode(), "999999");
    assert.deepEqual(drawn, []);
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
});

Deno.test("readCode() takes six digits, however they are written", () => {
  for (const typed of ["012345", " 012 345 ", "012-345", "０１２３４５"]) {
    assert.equal(readCode(typed), "012345", typed);
  }
  for (const typed of [undefined, "", "12345", "1234567", "12345a", "٠١٢٣٤٥"]) {
    assert.equal(readCode(typed), null, typed);
  }
});

Deno.test("codeMatches() is true for the same code, browser and mailbox only", async () => {
  const bound = { browserSecret: "b".repeat(43), identity: "ada@example.com" };
  const digest = await codeDigest("123456", bound);
  assert.equal(await codeMatches("123456", digest, bound), true);
  assert.equal(await codeMatches("123457", digest, bound), false);
  assert.equal(
    await codeMatches("123456", digest, { ...bound, identity: "eve@example.com" }),
    false,
  );
  assert.equal(
    await codeMatches("123456", digest, { ...bound, browserSecret: "c".repeat(43) }),
    false,
  );
  assert.equal(await codeMatches("123456", "", bound), false);
});
