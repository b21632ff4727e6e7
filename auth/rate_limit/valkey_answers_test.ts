import assert from "node:assert/strict";
import { StorageUnavailableError } from "../errors.ts";
import { createValkeyRateLimitStorage } from "./valkey.ts";

const RULE = { limit: 2, window: 60_000, now: 1000 };

function taking(answer: unknown) {
  return createValkeyRateLimitStorage(() => Promise.resolve(answer)).takeRateLimit("k", RULE);
}

// Tracks: R149
Deno.test("nobody is let through by what is no answer of the script, such as that of a transaction", async () => {
  const wrong: unknown[] = [
    "QUEUED",
    null,
    [],
    ["QUEUED", 1, 1],
    ["x", 1, 60_000],
    [":x", 1, 60_000],
    ["1790000000000:", 1, 60_000],
    [1, 1, 60_000],
    [null, 1, 60_000],
    ["1790000000000:x", null, 60_000],
    ["1790000000000:x", "many", 60_000],
    ["1790000000000:x", 1, "soon"],
    ["1790000000000:x", 1],
    ["1790000000000:x", 1, 60_000, 1],
  ];
  for (const answer of wrong) {
    await assert.rejects(taking(answer), StorageUnavailableError, JSON.stringify(answer));
  }
});

Deno.test("an answer counts as text, as bytes and with large integers, as clients give it", async () => {
  const hit = "1790000000000:x";
  const allowed = { allowed: true, remaining: 1, resetAt: 61_000, hit };
  for (const name of [hit, new TextEncoder().encode(hit)]) {
    for (const [remaining, wait] of [[1, 60_000], ["1", "60000"], [1n, 60_000n]]) {
      assert.deepEqual(await taking([name, remaining, wait]), allowed);
    }
  }
  const refused = { allowed: false, remaining: 0, resetAt: 31_000, hit: null };
  assert.deepEqual(await taking(["", -1, 30_000]), refused);
});
