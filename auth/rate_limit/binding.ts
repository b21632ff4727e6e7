/**
 * Rate limits of the platform's own binding.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { demandMethods } from "../lib/options.ts";
import type { RateLimitStorage } from "../storage/rate_limits.ts";

/** Binding of the platform's rate limit. */
export interface RateLimitBinding {
  /** Counts an attempt of this key, and says whether it is within the limit of the binding. */
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/**
 * Counts attempts in a rate limit of the platform. It costs next to nothing and is the least exact:
 * each location of the network counts for itself, and a little behind. Limit and window are those of
 * the binding, so a limiter must say the same; the window is 10 or 60 seconds. The binding tells no numbers:
 * `remaining` is 0 for whoever is refused, else 1 as the least that is known, and `reset` the whole window.
 * No attempt can be taken back.
 *
 * @param binding The binding; in `wrangler.jsonc`: `"ratelimits": [{ "name": "LIMIT", "namespace_id": "1",
 * "simple": { "limit": 100, "period": 60 } }]`.
 * @throws {ConfigurationError} When the binding is none, such as one that `wrangler.jsonc` lacks.
 * @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/
 *
 * @example
 * ```ts
 * import {
 *   createPlatformRateLimitStorage,
 *   createRateLimiter,
 *   type RateLimitBinding,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * function limiterOf(env: { LIMIT: RateLimitBinding }) {
 *   return createRateLimiter(createPlatformRateLimitStorage(env.LIMIT), {
 *     name: "api",
 *     limit: 100,
 *     window: 60,
 *   });
 * }
 *
 * // In the place of a binding whose limit is reached.
 * const LIMIT = { limit: () => Promise.resolve({ success: false }) };
 * equal((await limiterOf({ LIMIT }).check(new Request("https://app.example/api"))).success, false);
 * ```
 */
export function createPlatformRateLimitStorage(binding: RateLimitBinding): RateLimitStorage {
  demandMethods(binding, ["limit"], {
    field: "binding",
    write: "a rate limit that wrangler.jsonc lists in ratelimits, such as env.LIMIT",
  });
  return {
    async takeRateLimit(key, { window, now }) {
      if (window !== 10_000 && window !== 60_000) {
        throw new ConfigurationError(
          `A rate limit of the platform has a window of 10 or 60 seconds; found ${window / 1000}`,
          { field: "window" },
        );
      }
      const { success: allowed } = await binding.limit({ key });
      return { allowed, remaining: allowed ? 1 : 0, resetAt: now + window, hit: null };
    },
    refundRateLimit() {
      return Promise.resolve();
    },
  };
}
