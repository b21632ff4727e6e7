// deno-lint-ignore-file require-await -- the port speaks in promises

import type { RateLimitRule, RateLimitStorage } from "../rate_limit/rate_limit_storage.ts";

/** The attempts of one key that were let through, the oldest first. */
interface Log {
  times: number[];
  expiresAt: number;
}

/**
 * Counts attempts in the process. Of each key it knows the times of at most `limit` attempts. Above
 * `maxKeys` further keys share one log until there is room: who makes up keys can shut out others who come
 * new, and gets no attempt more.
 */
export function createMemoryRateLimits(maxKeys: number = 100_000): RateLimitStorage {
  const logs = new Map<string, Log>();
  let sweptAt = 0;

  function logOf(key: string, { limit, window, now }: RateLimitRule): Log {
    let log = logs.get(key);
    if (log !== undefined) return log;
    // A key has one log at a time: its own begins when the shared one holds nothing any more.
    const shared = `\0${limit}/${window}`;
    log = logs.get(shared);
    if (log !== undefined && log.expiresAt > now) return log;
    log = { times: [], expiresAt: 0 };
    logs.set(logs.size < maxKeys ? key : shared, log);
    return log;
  }

  return {
    async takeRateLimit(key, rule) {
      const { limit, window, now } = rule;
      if (now - sweptAt >= (logs.size < maxKeys ? 60_000 : 1000)) {
        sweptAt = now;
        for (const [name, { expiresAt }] of logs) if (expiresAt <= now) logs.delete(name);
      }
      const log = logOf(key, rule);
      const { times } = log;
      let forgotten = 0;
      while (times[forgotten]! <= now - window) forgotten++;
      if (forgotten > 0) times.splice(0, forgotten);
      let left = limit - times.length;
      const allowed = left > 0;
      let hit = null;
      if (allowed) {
        // A clock that was set back must not put an attempt before those that are there.
        const time = Math.max(now, times.at(-1) ?? now);
        times.push(time);
        left--;
        log.expiresAt = time + window;
        hit = { log, time, counted: true };
      }
      // After the limit has been lowered the oldest one is not the one that is waited for.
      const oldest = times[Math.max(0, -left)] ?? now;
      return { allowed, remaining: Math.max(0, left), resetAt: oldest + window, hit };
    },
    async refundRateLimit(_key, hit) {
      const own = hit as { log: Log; time: number; counted: boolean };
      const { times } = own.log;
      const index = times.lastIndexOf(own.time);
      if (own.counted && index >= 0) times.splice(index, 1);
      own.counted = false;
    },
  };
}
