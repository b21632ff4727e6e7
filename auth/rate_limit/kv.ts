/**
 * Rate limits in a key-value namespace.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { hashText } from "../lib/hash.ts";
import { createSafeLogger, type Logger } from "../lib/logger.ts";
import { demandMethods } from "../lib/options.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import {
  createHit,
  hitsOf,
  type RateLimitRule,
  type RateLimitStorage,
  type RateLimitTake,
  timeText,
} from "../storage/rate_limits.ts";

/** `<number of the window>:<count>`. What is stored for another window, or by somebody else, is nothing. */
function countIn(state: string | null, index: number): number {
  const [found, count] = state?.split(":") ?? [];
  return found === String(index) && /^\d{1,9}$/.test(count ?? "") ? Number(count) : 0;
}

const fixedWindow: KvCounting = {
  name: "fixed",
  judge(states, { limit, window, now }) {
    const own = Math.floor(now / window);
    // A clock that is behind counts in the window that another isolate has begun, which it would overwrite.
    const index = states.some((state) => countIn(state, own + 1) > 0) ? own + 1 : own;
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
 * The bound: each isolate alone lets through at most `limit` within any span of the window, so n isolates
 * never more than n × `limit`. Where reads are fresh and requests come one after the other, all
 * isolates together let through at most `limit` in a window and 2 × `limit` in any span as long, which
 * is the border between two windows. A write that fails is no error; a read that fails is.
 *
 * For sign-in and for whatever costs money take an exact storage.
 *
 * @param namespace A KV binding.
 * @param options `prefix` of the keys, "rate-limit:" by default, and a `logger`, by default none.
 * @throws {ConfigurationError} When the namespace is none, such as a binding that `wrangler.jsonc` lacks.
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
 * The bound: each isolate alone lets through at most `limit` within any span of the window, so n isolates
 * never more than n × `limit`. Where reads are fresh and requests come one after the other, all
 * isolates together let through at most `limit` in any span. A write that is lost is made up for by the
 * next one of the same isolate. A write that fails is no error; a read that fails is.
 *
 * @param namespace A KV binding.
 * @param options `prefix` of the keys, "rate-limit:" by default, and a `logger`, by default none.
 * @throws {ConfigurationError} When the namespace is none, such as a binding that `wrangler.jsonc` lacks.
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

/** Interface used of a key-value namespace of the platform. */
export interface RateLimitNamespace {
  /** The text under a key, or null. */
  get(key: string): Promise<string | null>;
  /** Stores a text for so many seconds. */
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>;
}

/** Options for the key-value storages. */
export interface KvStorageOptions {
  /** Prefix of the keys: at most 64 printable ASCII characters. Default "rate-limit:". */
  prefix?: string;
  /** Logger for failed writes. Default: nobody is. */
  logger?: Logger;
}

/** State of a key after an attempt, and its result. */
export interface KvVerdict {
  /** Value to store; null for a refusal. */
  next: string | null;
  /** Attempts that remain. */
  remaining: number;
  /** Time at which the oldest counted attempt expires. */
  resetAt: number;
  /** Mark that identifies the attempt for a refund. */
  mark: string;
}

/** Counting method of a key-value storage. */
interface KvCounting {
  /** Tells this way of counting from others over one namespace. */
  name: string;
  /** Judges an attempt by what was read and by what this isolate knows; null is nothing. */
  judge(states: (string | null)[], rule: RateLimitRule): KvVerdict;
  /** The state without an attempt. */
  without(state: string, mark: string): string;
}

// The platform's least.
const MIN_TTL = 60;
// Forgetting more costs exactness between isolates, and nothing within one.
const MAX_KNOWN = 10_000;

/** State of one namespace in one isolate. */
interface Isolate {
  guard: RateLimitStorage;
  known: Map<string, string>;
}

const isolates = new WeakMap<RateLimitNamespace, Isolate>();

// An application makes its storage anew in every request; what the isolate knows must outlive that.
function isolateOf(namespace: RateLimitNamespace): Isolate {
  let isolate = isolates.get(namespace);
  if (isolate === undefined) {
    isolate = { guard: createMemoryRateLimits(), known: new Map() };
    isolates.set(namespace, isolate);
  }
  return isolate;
}

interface Hit {
  guarded: unknown;
  mark: string;
  seconds: number;
}

/**
 * Counts in a key-value store, which is read late and written last-one-wins. So each isolate also
 * counts for itself, exactly and before anything else: whatever the store loses, forgets or shows late, an
 * isolate lets through no more than the limit.
 */
function createKvStorage(
  namespace: RateLimitNamespace,
  counting: KvCounting,
  { prefix = "rate-limit:", logger }: KvStorageOptions,
): RateLimitStorage {
  demandMethods(namespace, ["get", "put"], {
    field: "namespace",
    write: "a KV namespace that wrangler.jsonc binds, such as env.KV",
  });
  const { guard, known } = isolateOf(namespace);
  const log = createSafeLogger(logger);

  /** At most 512 bytes, whatever the key is. */
  async function nameOf(key: string): Promise<string> {
    const short = key.length <= 120 ? key : await hashText(key);
    return `${prefix}${counting.name}:${short}`;
  }

  async function write(name: string, state: string, seconds: number): Promise<void> {
    if (known.size >= MAX_KNOWN && !known.has(name)) known.clear();
    known.set(name, state);
    try {
      await namespace.put(name, state, { expirationTtl: Math.max(MIN_TTL, seconds) });
    } catch (error) {
      // One write in a second is all that a key takes. The next one brings along what this one had.
      log.warn("rate-limit-write-failed", { error });
    }
  }

  async function read(name: string): Promise<string | null> {
    try {
      return await namespace.get(name);
    } catch (cause) {
      throw new StorageUnavailableError("Cannot count an attempt: the namespace did not answer", {
        cause,
      });
    }
  }

  async function takeShared(name: string, rule: RateLimitRule): Promise<RateLimitTake> {
    const stored = await read(name);
    const verdict = counting.judge([stored, known.get(name) ?? null], rule);
    const { next, remaining, resetAt, mark } = verdict;
    if (next === null) return { allowed: false, remaining: 0, resetAt, hit: null };
    const seconds = Math.ceil(rule.window / 1000);
    await write(name, next, seconds);
    return { allowed: true, remaining, resetAt, hit: { mark, seconds } };
  }

  return {
    async takeRateLimit(key, rule) {
      const name = await nameOf(key);
      const own = await guard.takeRateLimit(name, rule);
      if (!own.allowed) return own;
      let shared;
      try {
        shared = await takeShared(name, rule);
      } finally {
        if (shared?.allowed !== true) await guard.refundRateLimit(name, own.hit);
      }
      const remaining = Math.min(own.remaining, shared.remaining);
      if (!shared.allowed) return shared;
      // There is more room again when both say so.
      const resetAt = Math.max(own.resetAt, shared.resetAt);
      return { ...shared, remaining, resetAt, hit: { ...shared.hit as Hit, guarded: own.hit } };
    },
    async refundRateLimit(key, hit) {
      const name = await nameOf(key);
      const { guarded, mark, seconds } = hit as Hit;
      await guard.refundRateLimit(name, guarded);
      const state = known.get(name);
      if (state !== undefined) await write(name, counting.without(state, mark), seconds);
    },
  };
}
