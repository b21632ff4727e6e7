// deno-lint-ignore-file require-await -- the port speaks in promises

/**
 * Rate limits that count in this process.
 *
 * @module
 */

import type { RateLimitRule, RateLimitStorage, RateLimitTake } from "./rate_limits.ts";

/** Times of the attempts that were let through, the oldest first; before them stands when the last one expires. */
type Log = number[];

/** Takes an attempt back, once. */
type TakeBack = () => void;

function once(work: () => void): TakeBack {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

// Above `maxKeys` so many counts are shared by the keys of a rule. Who makes up keys must fill a large part of them
// within one window to shut others out: with five attempts each, more than a million.
const SHARED = 2 ** 18;

/** Counts that the keys of one rule share. */
interface SharedCounts {
  /** Expiry of the last attempt of each count. */
  ends: Float64Array;
  /** Attempts since the count began. */
  counts: Uint32Array;
  /** Number of times that each count has begun anew. */
  runs: Uint32Array;
  /** Moment when all of them have expired. */
  end: number;
}

function createSharedCounts(): SharedCounts {
  return {
    ends: new Float64Array(SHARED),
    counts: new Uint32Array(SHARED),
    runs: new Uint32Array(SHARED),
    end: 0,
  };
}

/**
 * Counts attempts in the process. Of each key it knows the times of at most `limit` attempts. Above
 * `maxKeys` the keys of one rule share 262,144 counts, 4 MiB, until there is room: nobody gets an attempt more, and who
 * comes new is refused for what others did only where somebody fills a large part of these.
 */
export function createMemoryRateLimits(maxKeys: number = 100_000): RateLimitStorage {
  const logs = new Map<string, Log>();
  const shared = new Map<string, SharedCounts>();
  let seed: number | null = null;
  let sweptAt = 0;

  /** Place of a key among the shared counts (FNV-1a). Nobody knows whose key has the same one as theirs. */
  function placeOf(key: string): number {
    let hash = seed ??= crypto.getRandomValues(new Uint32Array(1))[0]!;
    for (let index = 0; index < key.length; index++) {
      hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    }
    return (hash >>> 0) % SHARED;
  }

  function sweep(now: number): void {
    sweptAt = now;
    for (const [key, log] of logs) {
      if (log[0]! <= now) logs.delete(key);
    }
    for (const [rule, { end }] of shared) {
      if (end <= now) shared.delete(rule);
    }
  }

  function takeShared(key: string, { limit, window, now }: RateLimitRule): RateLimitTake {
    const rule = `${limit}/${window}`;
    const all = shared.get(rule) ?? createSharedCounts();
    shared.set(rule, all);
    const { ends, counts, runs } = all;
    const place = placeOf(key);
    if (ends[place]! <= now) {
      counts[place] = 0;
      runs[place]!++;
    }
    const allowed = counts[place]! < limit;
    let hit: TakeBack | null = null;
    if (allowed) {
      counts[place]!++;
      // A clock that was set back must not end what began before.
      ends[place] = Math.max(ends[place]!, now + window);
      all.end = Math.max(all.end, ends[place]!);
      const run = runs[place];
      hit = once(() => {
        if (runs[place] === run) counts[place]!--;
      });
    }
    const remaining = Math.max(0, limit - counts[place]!);
    return { allowed, remaining, resetAt: counts[place] === 0 ? now + window : ends[place]!, hit };
  }

  /** Log of a key; null for one that shares a count. */
  function logOf(key: string, { limit, window, now }: RateLimitRule): Log | null {
    let log = logs.get(key);
    if (log !== undefined) return log;
    if (logs.size >= maxKeys && now - sweptAt >= 1000) sweep(now);
    if (logs.size >= maxKeys) return null;
    // A key has one count at a time: its own begins when the shared one holds nothing any more.
    const end = shared.get(`${limit}/${window}`)?.ends[placeOf(key)] ?? 0;
    if (end > now) return null;
    logs.set(key, log = [0]);
    return log;
  }

  return {
    async takeRateLimit(key, rule) {
      const { limit, window, now } = rule;
      if (now - sweptAt >= 60_000) sweep(now);
      const log = logOf(key, rule);
      if (log === null) return takeShared(key, rule);
      let expired = 1;
      while (expired < log.length && log[expired]! <= now - window) expired++;
      if (expired > 1) log.splice(1, expired - 1);
      let hit: TakeBack | null = null;
      if (log.length <= limit) {
        // A clock that was set back must not put an attempt before those that are there.
        const time = log.length === 1 ? now : Math.max(now, log[log.length - 1]!);
        log.push(time);
        log[0] = time + window;
        hit = once(() => {
          const at = log.lastIndexOf(time);
          if (at > 0) log.splice(at, 1);
        });
      }
      const length = log.length - 1;
      // After the limit has been lowered the oldest one is not the one that is waited for.
      const oldest = log[1 + Math.max(0, length - limit)] ?? now;
      return {
        allowed: hit !== null,
        remaining: Math.max(0, limit - length),
        resetAt: oldest + window,
        hit,
      };
    },
    async refundRateLimit(_key, hit) {
      (hit as TakeBack)();
    },
  };
}
