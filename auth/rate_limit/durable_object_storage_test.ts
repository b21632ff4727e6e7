import assert from "node:assert/strict";
import { StorageUnavailableError } from "../errors.ts";
import { createObjectDouble } from "../tests/object_double.ts";
import { EXACT_CASES } from "../../testing/storage/rate_limit_cases.ts";
import { createDurableObjectRateLimitStorage } from "./durable_object.ts";

const WINDOW = 10_000;

for (const [name, check] of Object.entries(EXACT_CASES)) {
  Deno.test(`createDurableObjectRateLimitStorage() ${name}`, async () => {
    const objects = createObjectDouble();
    await check(createDurableObjectRateLimitStorage(objects));
    objects.close();
  });
}

function failure(marks: { retryable?: boolean; overloaded?: boolean }): Error {
  return Object.assign(new Error("internal error"), marks);
}

// Tracks: F12
Deno.test("createDurableObjectRateLimitStorage() asks again an object that was moved, and never one that is overloaded", async () => {
  const objects = createObjectDouble();
  const storage = createDurableObjectRateLimitStorage(objects);
  const rule = { limit: 5, window: WINDOW, now: Date.now() };
  const table: [failures: Error[], asked: number, succeeds: boolean][] = [
    [[], 1, true],
    [[failure({ retryable: true })], 2, true],
    [[failure({ retryable: true }), failure({ retryable: true })], 3, true],
    [Array(3).fill(failure({ retryable: true })), 3, false],
    [[failure({ retryable: true, overloaded: true })], 1, false],
    [[failure({ overloaded: true })], 1, false],
    [[failure({})], 1, false],
  ];
  for (const [failures, asked, succeeds] of table) {
    objects.failures = [...failures];
    const before = objects.asked;
    const take = storage.takeRateLimit("k", rule);
    if (succeeds) assert.equal((await take).allowed, true);
    else await assert.rejects(take, StorageUnavailableError);
    assert.equal(objects.asked - before, asked);
  }
  objects.close();
});

// Tracks: F13
Deno.test("RateLimitObject remembers what it counted when it was thrown out of memory", async () => {
  const objects = createObjectDouble();
  const storage = createDurableObjectRateLimitStorage(objects);
  const rule = { limit: 3, window: WINDOW, now: Date.now() };
  const allowed = [];
  for (let index = 0; index < 5; index++) {
    allowed.push((await storage.takeRateLimit("k", rule)).allowed);
    objects.evict();
  }
  assert.deepEqual(allowed, [true, true, true, false, false]);
  objects.close();
});

// Each alarm that is set is a row that is written, and one that is put off by every attempt never comes.
Deno.test("RateLimitObject sets its alarm with the first attempt, and leaves it with all further ones", async () => {
  const objects = createObjectDouble();
  const storage = createDurableObjectRateLimitStorage(objects);
  const rule = { limit: 2, window: WINDOW };
  const now = Date.now();
  const allowed = [];
  for (let index = 0; index < 3; index++) {
    const take = await storage.takeRateLimit("k", { ...rule, now: now + 1000 * index });
    allowed.push(take.allowed);
    assert.equal(await objects.alarm("k"), now + WINDOW, `${index}`);
  }
  assert.deepEqual(allowed, [true, true, false]);
  objects.close();
});

// Tracks: R150
Deno.test("RateLimitObject removes everything that it stored once that is over, and begins anew", async () => {
  const objects = createObjectDouble();
  const storage = createDurableObjectRateLimitStorage(objects);
  const now = Date.now();
  await storage.takeRateLimit("k", { limit: 1, window: WINDOW, now });
  assert.ok((await objects.alarm("k"))! >= now + WINDOW);
  await objects.wake("k");
  assert.equal(objects.tables("k"), 1, "it is not over yet");
  assert.ok((await objects.alarm("k"))! >= now + WINDOW);
  await storage.refundRateLimit("k", "nothing");

  await storage.takeRateLimit("old", { limit: 1, window: WINDOW, now: now - 3 * WINDOW });
  await objects.wake("old");
  assert.equal(objects.tables("old"), 0);
  assert.equal(await objects.alarm("old"), null);
  const again = await storage.takeRateLimit("old", { limit: 1, window: WINDOW, now });
  assert.equal(again.allowed, true);
  assert.notEqual(await objects.alarm("old"), null);
  objects.close();
});
