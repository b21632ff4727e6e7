/**
 * Rate limits: port, options and SQL.
 *
 * @module
 */

import { isOptions, optionsAt, wrongOption } from "../lib/options.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import type { SqlDialect } from "./sql_database.ts";
import { type SqlExecutor, sweepTable } from "./sql_executor.ts";

/** Limit of attempts. */
export interface RateLimitRule {
  /** Maximum number of attempts within the window, 1 to 1,000. */
  limit: number;
  /** Length of the window in milliseconds. */
  window: number;
  /** Now, in milliseconds since 1970. */
  now: number;
}

/** Result of counting an attempt. */
export interface RateLimitTake {
  /** True when the attempt is within the limit. Only then it is counted. */
  allowed: boolean;
  /** Number of further attempts that are allowed now. */
  remaining: number;
  /**
   * Moment when the oldest counted attempt expires, in milliseconds since 1970; of a refusal, when an attempt is
   * allowed again, which is later where the limit has been lowered.
   */
  resetAt: number;
  /** Key that refunds the attempt, for {@linkcode RateLimitStorage.refundRateLimit}. */
  hit: unknown;
}

/**
 * Storage for counted attempts. An exact storage allows at most `limit` attempts within any span of
 * `window`, however many are made at once; others document what they guarantee.
 */
export interface RateLimitStorage {
  /**
   * Counts an attempt, unless the limit is reached. The decision and the count are one step, by the clock of the
   * caller. A caller whose clock is behind that of another counts at the newest time of the key, so that no attempt is
   * forgotten too early. Not safe to repeat: a second call counts a second attempt, which is what a lost answer costs.
   *
   * @param key What is counted: at most 300 characters.
   * @throws {StorageUnavailableError} When the store does not answer.
   */
  takeRateLimit(key: string, rule: RateLimitRule): Promise<RateLimitTake>;
  /** Takes one attempt back, as if it had not been. Safe to repeat: each hit is another one. */
  refundRateLimit(key: string, hit: unknown): Promise<void>;
}

/** Limit as a number of attempts in a time span. */
export interface RateLimit {
  /** Number of attempts, 1 to 1,000. */
  limit: number;
  /** Within how many seconds, 1 to 31,536,000 (a year). */
  window: number;
}

/** Limits of sign-in attempts. */
export interface RateLimitConfig {
  /**
   * Attempts to sign in from one address with one identifier. One address alone has 20 times as many; an identifier
   * four times as many where nobody says the address, and 100 a day from anywhere, or `limit` where that is more. A
   * browser that has signed in to the account has 10 within 3,600 seconds of its own. What succeeds does not
   * count. Default 5 within 900 seconds.
   */
  login?: RateLimit;
  /**
   * Emails with a sign-in link or code to one mailbox. One address alone has 20 times as many, and a browser that
   * has signed in to the account as many of its own. Further ones are not sent, and nobody is told. Default 5
   * within 3,600 seconds.
   */
  emailVerification?: RateLimit;
  /**
   * Storage of the attempts. Default: `database`; without one the memory, which every isolate has
   * for itself.
   */
  storage?: RateLimitStorage;
}

// The most that there can be: the exact storages know the time of each attempt; and a year.
const BOUNDS = [["limit", 1000], ["window", 31_536_000]] as const;

/**
 * Checks the two numbers of a limit.
 *
 * @param prefix What stands before their names in a message.
 * @throws {ConfigurationError} When they cannot be.
 */
export function checkLimit(
  options: Record<string, unknown>,
  prefix: string,
): asserts options is Record<string, unknown> & RateLimit {
  for (const [name, max] of BOUNDS) {
    const value = options[name] as number;
    if (!Number.isInteger(value) || value < 1 || value > max) {
      throw wrongOption(prefix + name, value, `a whole number, 1 to ${max}`);
    }
  }
}

/** True for what counts attempts. */
export function isRateLimitStorage(value: unknown): value is RateLimitStorage {
  return isOptions(value) && typeof value.takeRateLimit === "function";
}

/** The option `rateLimit`, complete but for the storage. */
export interface RateLimits extends RateLimitConfig {
  login: RateLimit;
  emailVerification: RateLimit;
}

/**
 * Checks the option `rateLimit` and fills in its defaults.
 *
 * @throws {ConfigurationError} Naming the option.
 */
export function readRateLimits(config: RateLimitConfig | undefined): RateLimits {
  const given = optionsAt(config, "rateLimit", ["login", "emailVerification", "storage"]);
  function read(name: string, window: number): RateLimit {
    const field = `rateLimit.${name}`;
    const options = optionsAt(given[name] ?? { limit: 5, window }, field, ["limit", "window"]);
    checkLimit(options, `${field}.`);
    return options;
  }
  const { storage } = given;
  if (storage !== undefined && !isRateLimitStorage(storage)) {
    throw wrongOption("rateLimit.storage", storage, "a storage of @framework/auth/rate-limit");
  }
  return {
    login: read("login", 900),
    emailVerification: read("emailVerification", 3600),
    ...(storage !== undefined && { storage }),
  };
}

/** Number of characters of an entry's time. */
const TIME_LENGTH = 13;
/** Length of an entry. */
const HIT_LENGTH = 18;

/** A time in milliseconds since 1970 as text that sorts like the times do. */
export function timeText(time: number): string {
  return String(Math.max(0, Math.trunc(time))).padStart(TIME_LENGTH, "0");
}

/** An entry: its time, and five letters that no other entry of that time has. */
export function createHit(now: number): string {
  const letters = crypto.getRandomValues(new Uint8Array(5)).map((byte) => 97 + byte % 26);
  return timeText(now) + String.fromCharCode(...letters);
}

/** The entries of a log. */
export function hitsOf(log: string): string[] {
  return log.match(/.{18}/g) ?? [];
}

/**
 * State of a log after an attempt.
 *
 * @param log Entries without anything between them, the newest first. One of an attempt that was let
 * through begins with its entry.
 */
export function readHits(
  log: string,
  allowed: boolean,
  { limit, window, now }: RateLimitRule,
): RateLimitTake {
  const times = hitsOf(log).map((hit) => parseInt(hit)).filter((time) => time > now - window);
  return {
    allowed,
    remaining: allowed ? limit - times.length : 0,
    resetAt: (times.slice(0, limit).at(-1) ?? now) + window,
    hit: allowed ? log.slice(0, HIT_LENGTH) : null,
  };
}

/**
 * ?1 key, ?2 entry, ?3 when the row may go, ?4 characters of a full log, ?5 where its last entry begins, ?6 the
 * time at or before which entries are forgotten. The log holds the entries that were let through, the
 * newest first, so its last one decides. An entry is never older than the one before it, also when two
 * machines' clocks differ. Nothing is written, and no row comes back, when the limit is reached.
 */
export const TAKE_RATE_LIMIT = `INSERT INTO rate_limits (key, hits, expires_at) VALUES (?1, ?2, ?3)
ON CONFLICT (key) DO UPDATE SET expires_at = ?3, hits = substr(CASE
  WHEN ?2 > rate_limits.hits THEN ?2 ELSE substr(rate_limits.hits, 1, 13) || substr(?2, 14)
END || rate_limits.hits, 1, ?4)
WHERE substr(rate_limits.hits, ?5, 13) <= ?6 RETURNING hits`;

/** ?1 key. */
export const READ_RATE_LIMIT = "SELECT hits FROM rate_limits WHERE key = ?1";

/** ?1 key, ?2 entry. */
export const REFUND_RATE_LIMIT =
  "UPDATE rate_limits SET hits = replace(hits, ?2, '') WHERE key = ?1";

/** The values for {@linkcode TAKE_RATE_LIMIT}. */
export function takeValues(
  key: string,
  { limit, window, now }: { limit: number; window: number; now: number },
): [string, string, number, number, number, string] {
  const full = HIT_LENGTH * limit;
  const forgotten = timeText(now - window);
  // Twice as long as needed: the clock of whoever removes it may be ahead.
  return [key, createHit(now), now + 2 * window, full, full - HIT_LENGTH + 1, forgotten];
}

/** Makes the operations: the decision is one statement; only a refusal reads when the next one may be. */
export function createRateLimitOperations(
  executor: SqlExecutor,
  dialect: SqlDialect | undefined,
): RateLimitStorage {
  const { prepare, repeat } = executor;
  return {
    takeRateLimit(key, rule) {
      sweepTable({ executor, dialect }, "rate_limits", rule.now);
      // Should a lost connection have counted it, it counts twice: better than not at all.
      return repeat("count an attempt", async () => {
        const values = takeValues(key, rule);
        const taken = await prepare(TAKE_RATE_LIMIT).bind(...values).first<{ hits: string }>();
        const row = taken ?? await prepare(READ_RATE_LIMIT).bind(key).first<{ hits: string }>();
        return readHits(row?.hits ?? "", taken !== null, rule);
      });
    },
    async refundRateLimit(key, hit) {
      await repeat(
        "take back an attempt",
        () => prepare(REFUND_RATE_LIMIT).bind(key, String(hit)).run(),
      );
    },
  };
}

/**
 * Group of operations on rate limits, for `groupOf()`. They are exact.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, rateLimitGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const limits = groupOf(createMemoryStorage(), rateLimitGroup);
 * const rule = { limit: 1, window: 60_000, now: Date.now() };
 * equal((await limits.takeRateLimit("app:export", rule)).allowed, true);
 * equal((await limits.takeRateLimit("app:export", rule)).allowed, false);
 * ```
 */
export const rateLimitGroup: StorageGroup<RateLimitStorage> = {
  name: "rateLimits",
  sql: ({ executor, dialect }: SqlParts) => createRateLimitOperations(executor, dialect),
};
