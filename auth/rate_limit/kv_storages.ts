import { createHit, hitsOf, timeText } from "./hit_log.ts";
import {
  createKvStorage,
  type KvCounting,
  type KvStorageOptions,
  type RateLimitNamespace,
} from "./kv_counting.ts";
import type { RateLimitStorage } from "./rate_limit_storage.ts";

/** `<number of the window>:<count>`. What is stored for another window, or by somebody else, is nothing. */
function countIn(state: string | null, index: number): number {
  const [found, count] = state?.split(":") ?? [];
  return found === String(index) && /^\d{1,9}$/.test(count ?? "") ? Number(count) : 0;
}

const fixedWindow: KvCounting = {
  name: "fixed",
  judge(states, { limit, window, now }) {
    const index = Math.floor(now / window);
    const count = Math.max(...states.map((state) => countIn(state, index)));
    return {
      next: count < limit ? `${index}:${count + 1}` : null,
      remaining: Math.max(0, limit - count - 1),
      resetAt: (index + 1) * window,
      mark: String(index),
    };
  },
  without(state, mark) {
    return `${mark}:${Math.max(0, countIn(state, Number(mark)) - 1)}`;
  },
};

const LOG = /^(?:\d{13}[a-z]{5})*$/;

const slidingWindow: KvCounting = {
  name: "sliding",
  judge(states, { limit, window, now }) {
    const logs = states.filter((state) => state !== null && LOG.test(state)) as string[];
    const forgotten = timeText(now - window);
    // What a lost write had, or an old copy does not have yet, another one brings.
    const hits = [...new Set(logs.flatMap(hitsOf))]
      .filter((hit) => hit.slice(0, 13) > forgotten)
      .sort().reverse();
    const newest = Number(hits[0]?.slice(0, 13) ?? 0);
    const mark = createHit(Math.max(now, newest));
    const oldest = hits.slice(0, limit).at(-1) ?? mark;
    return {
      next: hits.length < limit ? [mark, ...hits].join("") : null,
      remaining: Math.max(0, limit - hits.length - 1),
      resetAt: Number(oldest.slice(0, 13)) + window,
      mark,
    };
  },
  without(state, mark) {
    return hitsOf(state).filter((hit) => hit !== mark).join("");
  },
};

/**
 * Counts attempts in a key-value namespace, for windows that begin at whole multiples of their length. Under a
 * key stands one number. **It is not exact**, because the namespace is not: a read may be 60 seconds old,
 * two writes at once leave one, and a key takes one write in a second.
 *
 * What holds: each isolate alone lets through at most `limit` within any span of the window, so n isolates
 * never more than n × `limit`. Where reads are fresh and requests come one after the other, all
 * isolates together let through at most `limit` in a window and 2 × `limit` in any span as long, which
 * is the border between two windows. A write that fails is no error; a read that fails is.
 *
 * For sign-in and for whatever costs money take an exact storage.
 *
 * @param namespace A KV binding.
 * @param options `prefix` of the keys, "rate-limit:" by default, and a `logger`, by default none.
 * @see https://developers.cloudflare.com/kv/concepts/how-kv-works/
 *
 * @example
 * ```ts
 * import {
 *   createFixedWindowStorage,
 *   createRateLimiter,
 *   type RateLimitNamespace,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * function limiterOf(env: { KV: RateLimitNamespace }) {
 *   return createRateLimiter(createFixedWindowStorage(env.KV), {
 *     name: "api",
 *     limit: 100,
 *     window: 60,
 *   });
 * }
 *
 * // In the place of a KV binding.
 * const texts = new Map<string, string>();
 * const KV: RateLimitNamespace = {
 *   get: (key) => Promise.resolve(texts.get(key) ?? null),
 *   put: (key, text) => Promise.resolve(void texts.set(key, text)),
 * };
 * equal((await limiterOf({ KV }).check(new Request("https://app.example/api"))).remaining, 99);
 * ```
 */
export function createFixedWindowStorage(
  namespace: RateLimitNamespace,
  options: KvStorageOptions = {},
): RateLimitStorage {
  return createKvStorage(namespace, fixedWindow, options);
}

/**
 * Counts attempts in a key-value namespace, for the window that ends now. Under a key stand the times of at
 * most `limit` attempts, 18 bytes each. **It is not exact**, for the reasons that
 * {@linkcode createFixedWindowStorage} has.
 *
 * What holds: each isolate alone lets through at most `limit` within any span of the window, so n isolates
 * never more than n × `limit`. Where reads are fresh and requests come one after the other, all
 * isolates together let through at most `limit` in any span. A write that is lost is made up for by the
 * next one of the same isolate. A write that fails is no error; a read that fails is.
 *
 * @param namespace A KV binding.
 * @param options `prefix` of the keys, "rate-limit:" by default, and a `logger`, by default none.
 *
 * @example
 * ```ts
 * import {
 *   createRateLimiter,
 *   createSlidingWindowStorage,
 *   type RateLimitNamespace,
 * } from "@framework/auth/rate-limit";
 * import { equal } from "node:assert/strict";
 *
 * function limiterOf(env: { KV: RateLimitNamespace }) {
 *   return createRateLimiter(createSlidingWindowStorage(env.KV), {
 *     name: "api",
 *     limit: 100,
 *     window: 60,
 *   });
 * }
 *
 * // In the place of a KV binding.
 * const texts = new Map<string, string>();
 * const KV: RateLimitNamespace = {
 *   get: (key) => Promise.resolve(texts.get(key) ?? null),
 *   put: (key, text) => Promise.resolve(void texts.set(key, text)),
 * };
 * equal((await limiterOf({ KV }).check(new Request("https://app.example/api"))).remaining, 99);
 * ```
 */
export function createSlidingWindowStorage(
  namespace: RateLimitNamespace,
  options: KvStorageOptions = {},
): RateLimitStorage {
  return createKvStorage(namespace, slidingWindow, options);
}
