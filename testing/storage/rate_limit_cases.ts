import assert from "node:assert/strict";
import type { RateLimitRule, RateLimitStorage } from "@framework/auth/storage";
import { type InSuite, inSuite } from "./suites.ts";

/** Checks one behaviour of an empty storage that is exact. */
export type RateLimitCase = InSuite<
  (storage: RateLimitStorage, effort?: Effort) => Promise<void>
>;

/** Size of a case: smaller when each step goes through a process. */
export interface Effort {
  runs: number;
}

const NOW = Date.UTC(2026, 0, 1);
const WINDOW = 10_000;

function rule(limit: number, now: number = NOW): RateLimitRule {
  return { limit, window: WINDOW, now };
}

/** Returns how many of several concurrent attempts are allowed. */
export async function admitted(
  storages: RateLimitStorage[],
  key: string,
  { count, limit, now = NOW }: { count: number; limit: number; now?: number },
): Promise<number> {
  const takes = await Promise.all(Array.from({ length: count }, (_, index) => {
    return storages[index % storages.length]!.takeRateLimit(key, rule(limit, now));
  }));
  return takes.filter(({ allowed }) => allowed).length;
}

/** One step: after a pause somebody tries, and perhaps the attempt is taken back. */
interface Step {
  pause: number;
  key: "a" | "b";
  refund: boolean;
}

/** Steps of a run, the same for the same number of it, so that a failure comes again. */
function stepsOf(run: number): Step[] {
  let state = run;
  // The low bits of a linear congruential generator repeat soon (Knuth, The Art of Computer Programming 2, 3.2.1.1).
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  };
  const pauses = [0, 1, WINDOW - 1, WINDOW, WINDOW + 1];
  return Array.from({ length: 60 }, () => ({
    pause: below(2) === 0 ? pauses[below(pauses.length)]! : below(WINDOW / 2),
    key: below(2) === 0 ? "a" : "b",
    refund: below(2) === 0,
  }));
}

/** Cases that every exact storage must pass. */
export const EXACT_CASES: Record<string, RateLimitCase> = inSuite("limits", {
  // Tracks: R143, F02, K4, BA #9993, GHSA-44jh-23m7-hpcf
  "lets exactly the limit through when 100 come at once, 20 times of 20": async (storage) => {
    for (let round = 0; round < 20; round++) {
      const limit = 1 + round % 7;
      assert.equal(await admitted([storage], `race-${round}`, { count: 100, limit }), limit);
    }
  },
  // Tracks: R145, R146
  "lets through what an exact log of the last window does, no more and no less": async (
    storage,
    { runs } = { runs: 20 },
  ) => {
    for (let run = 0; run < runs; run++) {
      const limit = 1 + run % 5;
      const logs = { a: [] as number[], b: [] as number[] };
      let now = NOW;
      for (const [step, { pause, key, refund }] of stepsOf(run).entries()) {
        now += pause;
        const name = `property-${run}-${key}`;
        const log = logs[key].filter((time) => time > now - WINDOW);
        const take = await storage.takeRateLimit(name, rule(limit, now));
        const allowed = log.length < limit;
        if (allowed && !refund) log.push(now);
        logs[key] = log;
        const counted = allowed && refund ? log.length + 1 : log.length;
        assert.deepEqual(
          [take.allowed, take.remaining, take.resetAt],
          [allowed, limit - counted, (log[0] ?? now) + WINDOW],
          `run ${run}, step ${step}`,
        );
        if (take.allowed && refund) await storage.refundRateLimit(name, take.hit);
      }
    }
  },
  // Tracks: R146, BA Redis window
  "says when it is worth trying again: not a millisecond before, and not later for trying": async (
    storage,
  ) => {
    await storage.takeRateLimit("k", rule(2));
    await storage.takeRateLimit("k", rule(2, NOW + 3000));
    for (const now of [NOW + 3000, NOW + 5000, NOW + WINDOW - 1]) {
      const { allowed, remaining, resetAt } = await storage.takeRateLimit("k", rule(2, now));
      assert.deepEqual([allowed, remaining, resetAt], [false, 0, NOW + WINDOW]);
    }
    assert.equal((await storage.takeRateLimit("k", rule(2, NOW + WINDOW))).allowed, true);
    assert.equal((await storage.takeRateLimit("k", rule(2, NOW + WINDOW))).allowed, false);
  },
  "takes back one attempt and no other, though several came in one millisecond": async (
    storage,
  ) => {
    const takes = [];
    for (let index = 0; index < 3; index++) takes.push(await storage.takeRateLimit("k", rule(3)));
    await storage.refundRateLimit("k", takes[1]!.hit);
    await storage.refundRateLimit("none", takes[1]!.hit);
    assert.equal(await admitted([storage], "k", { count: 10, limit: 3 }), 1);
  },
  "counts by what the limit is now, when it has been changed": async (storage) => {
    for (let index = 0; index < 4; index++) await storage.takeRateLimit("k", rule(4, NOW + index));
    const refused = await storage.takeRateLimit("k", rule(2, NOW + 10));
    assert.deepEqual([refused.allowed, refused.remaining, refused.resetAt], [
      false,
      0,
      NOW + 2 + WINDOW,
    ]);
    assert.equal((await storage.takeRateLimit("k", rule(2, NOW + 2 + WINDOW))).allowed, true);
    assert.equal(await admitted([storage], "k", { count: 9, limit: 5, now: NOW + 3 + WINDOW }), 4);
  },
  "lets through no more when one clock is behind another": async (storage) => {
    for (const now of [NOW + 500, NOW, NOW + 400, NOW + 100]) {
      await storage.takeRateLimit("k", rule(3, now));
    }
    // By the clock that was first, all three are of its moment or later.
    assert.equal((await storage.takeRateLimit("k", rule(3, NOW + WINDOW + 499))).allowed, false);
    assert.equal((await storage.takeRateLimit("k", rule(3, NOW + WINDOW + 500))).allowed, true);
  },
  "keeps two keys apart, also ones that look alike": async (storage) => {
    for (const key of ["k", "K", "k ", "k%", "ключ", "login|192.0.2.1||", "x".repeat(300)]) {
      assert.equal(await admitted([storage], key, { count: 5, limit: 2 }), 2, key);
    }
  },
  "has the largest limit there is": async (storage) => {
    for (let round = 0; round < 11; round++) {
      const now = NOW + round;
      const through = await admitted([storage], "big", { count: 100, limit: 1000, now });
      assert.equal(through, round < 10 ? 100 : 0);
    }
  },
});
