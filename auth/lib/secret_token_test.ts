import assert from "node:assert/strict";
import { generateToken } from "./secret.ts";

// Tracks: R014
Deno.test("generateToken() gives 32 bytes in lower-case hex by default", async () => {
  assert.match(await generateToken(), /^[0-9a-f]{64}$/);
  assert.match(await generateToken(16), /^[0-9a-f]{32}$/);
  assert.match(await generateToken(1024), /^[0-9a-f]{2048}$/);
});

// Tracks: SP-W2
Deno.test("generateToken() gives a promise, whatever it is asked for", async () => {
  const token = generateToken();
  const refused = generateToken(0);
  assert.ok(token instanceof Promise && refused instanceof Promise);
  assert.match(await token.then(String), /^[0-9a-f]{64}$/);
  await assert.rejects(refused, RangeError);
});

// Tracks: R014
Deno.test("generateToken() rejects when the length is no integer from 16 to 1,024", async () => {
  for (const length of [0, -1, 1.5, 15, 1025, 1e9, NaN, Infinity]) {
    await assert.rejects(generateToken(length), RangeError, String(length));
  }
  await assert.rejects(generateToken("32" as unknown as number), RangeError);
});

// Tracks: R014
Deno.test("generateToken() repeats no token, and about half of its bits are set", async () => {
  const tokens = new Set(
    await Promise.all(Array.from({ length: 5000 }, () => generateToken())),
  );
  assert.equal(tokens.size, 5000);
  let ones = 0;
  for (const token of tokens) {
    for (const digit of token) {
      ones += [..."0123456789abcdef"].indexOf(digit).toString(2).replaceAll("0", "").length;
    }
  }
  // 1,280,000 bits: one in 10^9 honest runs is further than six standard deviations from the middle.
  assert.ok(Math.abs(ones - 640_000) < 6 * 566, `${ones} of 1280000 bits`);
});
