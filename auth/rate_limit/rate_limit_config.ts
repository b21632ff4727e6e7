import { isOptions, optionsAt, wrongOption } from "../config/check.ts";
import type { RateLimitStorage } from "./rate_limit_storage.ts";

/** How many attempts within how long. */
export interface RateLimit {
  /** How many attempts, 1 to 1,000. */
  limit: number;
  /** Within how many seconds, 1 to 31,536,000 (a year). */
  window: number;
}

/** How often the ways to sign in may be tried. */
export interface RateLimitConfig {
  /**
   * Attempts to sign in from one address with one identifier. One address alone has 20 times as many; an identifier
   * four times as many where nobody says the address, and 100 a day from anywhere, or `limit` where that is more. A
   * browser that has signed in to the account has 10 within 3,600 seconds of its own. What succeeds does not
   * count. Default 5 within 900 seconds.
   */
  login?: RateLimit;
  /**
   * E-mails with a sign-in link or code to one mailbox. One address alone has 20 times as many, and a browser that
   * has signed in to the account as many of its own. Further ones are not sent, and nobody is told. Default 5
   * within 3,600 seconds.
   */
  emailVerification?: RateLimit;
  /** Where attempts are counted. Default: in `database`; without one in memory, which every isolate has its own of. */
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
