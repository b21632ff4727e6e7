/**
 * Exact rate limits in memory.
 *
 * @module
 */

import { wrongOption } from "../lib/options.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import type { RateLimitStorage } from "../storage/rate_limits.ts";

/** Options for {@linkcode createMemoryRateLimitStorage}. */
export interface MemoryRateLimitStorageOptions {
  /** Number of keys that are counted individually. Default 100,000. */
  maxKeys?: number;
}

/**
 * Counts attempts in the process, exactly: for a server that is one process. Each isolate of a worker has a
 * memory of its own, which another knows nothing of.
 *
 * It holds the times of at most `limit` attempts for each of `maxKeys` keys, and forgets those that are over. A
 * key takes about three hundred bytes, and a hundred more with each ten attempts.
 * Above `maxKeys` further keys share 262,144 counts for each limit, in 4 MiB: nobody gets an attempt more, and
 * somebody is refused for what others did only where these fill a large part of the counts within one window.
 *
 * @param options `maxKeys`: how many keys have a count of their own. Default 100,000.
 *
 * @example
 * ```ts
 * import { createMemoryRateLimitStorage, createRateLimiter } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
 *   name: "export",
 *   limit: 1,
 *   window: 3600,
 * });
 * const request = new Request("https://app.example/export");
 * equal((await limiter.check(request)).success, true);
 * equal((await limiter.check(request)).success, false);
 * ```
 */
export function createMemoryRateLimitStorage(
  options: MemoryRateLimitStorageOptions = {},
): RateLimitStorage {
  const { maxKeys = 100_000 } = options;
  if (!Number.isInteger(maxKeys) || maxKeys < 1) {
    throw wrongOption("maxKeys", maxKeys, "a whole number of keys");
  }
  return createMemoryRateLimits(maxKeys);
}
