import { createSafeLogger, type Logger } from "../config/logger.ts";
import { hashText } from "../crypto/sha256.ts";
import { StorageUnavailableError } from "../errors/storage_errors.ts";
import { createMemoryRateLimits } from "../storage/memory_rate_limits.ts";
import type { RateLimitRule, RateLimitStorage, RateLimitTake } from "./rate_limit_storage.ts";

/** What is needed of a key-value namespace of the platform. */
export interface RateLimitNamespace {
  /** The text under a key, or null. */
  get(key: string): Promise<string | null>;
  /** Stores a text for so many seconds. */
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>;
}

/** What the key-value storages can be told. */
export interface KvStorageOptions {
  /** What the keys begin with: at most 64 printable characters of ASCII. Default "rate-limit:". */
  prefix?: string;
  /** Told of what could not be written. Default: nobody is. */
  logger?: Logger;
}

/** What stands under a key after an attempt, and what follows from it. */
export interface KvVerdict {
  /** What is to be stored; null for a refusal. */
  next: string | null;
  /** How many more are let through. */
  remaining: number;
  /** When the oldest attempt that counts is forgotten. */
  resetAt: number;
  /** What takes the attempt back. */
  mark: string;
}

/** How a key-value storage counts. */
export interface KvCounting {
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

/** What one isolate knows of one namespace. */
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
export function createKvStorage(
  namespace: RateLimitNamespace,
  counting: KvCounting,
  { prefix = "rate-limit:", logger }: KvStorageOptions,
): RateLimitStorage {
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
