import fc from "fast-check";
import assert from "node:assert/strict";
import { createMemoryRateLimits } from "./memory_rate_limits.ts";

const NOW = Date.UTC(2026, 0, 1);
const WINDOW = 10_000;

/** After a pause somebody tries several times, and the first of these attempts may be taken back. */
const steps = fc.array(
  fc.record({
    // Now and then what is over is looked for, and its room is given to others.
    pause: fc.constantFrom(0, 1, 900, WINDOW / 3, WINDOW, 61_000),
    key: fc.integer({ min: 0, max: 7 }).map((number) => `key-${number}`),
    attempts: fc.integer({ min: 1, max: 40 }),
    refund: fc.boolean(),
  }),
  { maxLength: 60, size: "max" },
);

// Tracks: R145, R150
Deno.test("createMemoryRateLimits() counts as exactly when logs grow, are given up and begin in the room of others", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(1, 6, 7, 50), async (given, limit) => {
      const storage = createMemoryRateLimits();
      const logs: Record<string, number[]> = {};
      let now = NOW;
      for (const { pause, key, attempts, refund } of given) {
        now += pause;
        const log = logs[key] = (logs[key] ?? []).filter((time) => time > now - WINDOW);
        const hits = [];
        for (let attempt = 0; attempt < attempts; attempt++) {
          const take = await storage.takeRateLimit(key, { limit, window: WINDOW, now });
          const allowed = log.length < limit;
          if (allowed) log.push(now);
          assert.deepEqual(
            [take.allowed, take.remaining, take.resetAt],
            [allowed, limit - log.length, log[0]! + WINDOW],
          );
          if (allowed) hits.push(take.hit);
        }
        if (!refund || hits.length === 0) continue;
        await storage.refundRateLimit(key, hits[0]);
        log.pop();
      }
    }),
  );
});

// Tracks: R143, R150
Deno.test("createMemoryRateLimits() lets no key through more often for want of room, in any span of the window", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (given, maxKeys) => {
      const limit = 5;
      const storage = createMemoryRateLimits(maxKeys);
      const through: Record<string, number[]> = {};
      let now = NOW;
      for (const { pause, key, attempts } of given) {
        now += pause;
        const times = through[key] ??= [];
        for (let attempt = 0; attempt < attempts; attempt++) {
          const { allowed } = await storage.takeRateLimit(key, { limit, window: WINDOW, now });
          if (allowed) times.push(now);
        }
        assert.ok(times.filter((time) => time > now - WINDOW).length <= limit);
      }
    }),
  );
});

// Tracks: R168, R150, A-05
Deno.test("createMemoryRateLimits() shuts nobody out when 100,000 attempts at made-up names find no room", async () => {
  const storage = createMemoryRateLimits(1000);
  const rule = { limit: 5, window: WINDOW, now: NOW };
  for (let index = 0; index < 100_000; index++) await storage.takeRateLimit(`name-${index}`, rule);
  let refused = 0;
  for (let index = 0; index < 500; index++) {
    if (!(await storage.takeRateLimit(`visitor-${index}`, rule)).allowed) refused++;
  }
  assert.ok(refused < 5, `${refused} of 500`);
});

// Tracks: R143, R150
Deno.test("createMemoryRateLimits() takes an attempt back once, also where there is no room", async () => {
  const rule = { limit: 2, window: WINDOW, now: NOW };
  for (const before of [0, 1]) {
    const storage = createMemoryRateLimits(1);
    if (before > 0) await storage.takeRateLimit("other", rule);
    const first = await storage.takeRateLimit("ada", rule);
    await storage.takeRateLimit("ada", rule);
    await storage.refundRateLimit("ada", first.hit);
    await storage.refundRateLimit("ada", first.hit);
    const again = await storage.takeRateLimit("ada", rule);
    assert.deepEqual([again.allowed, again.remaining], [true, 0]);
    assert.equal((await storage.takeRateLimit("ada", rule)).allowed, false);
    // An attempt that is over takes nothing from those of later.
    const later = { ...rule, now: NOW + WINDOW };
    await storage.takeRateLimit("ada", later);
    await storage.refundRateLimit("ada", again.hit);
    assert.equal((await storage.takeRateLimit("ada", later)).remaining, 0);
  }
});

// Tracks: R168, R150
Deno.test("createMemoryRateLimits() shuts few out for want of room, whoever makes up keys", async () => {
  const storage = createMemoryRateLimits(1000);
  const rule = { limit: 5, window: WINDOW, now: NOW };
  for (let index = 0; index < 3000; index++) await storage.takeRateLimit(`made-up-${index}`, rule);
  let refused = 0;
  for (let index = 0; index < 500; index++) {
    if (!(await storage.takeRateLimit(`visitor-${index}`, rule)).allowed) refused++;
  }
  assert.ok(refused < 10, `${refused} of 500`);
});
