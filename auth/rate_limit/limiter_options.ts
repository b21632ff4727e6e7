import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import type { Logger } from "../config/logger.ts";
import { checkLimit, isRateLimitStorage, type RateLimit } from "./rate_limit_config.ts";

/** By what attempts are counted. */
export type CountBy = "address" | "identifier" | "both";

/** What every limiter can be told. */
export interface LimiterOptions extends RateLimit {
  /**
   * What attempts are counted by: the client's address, the identifier that `check()` is given, or each pair
   * of the two. Where nobody says the address, an identifier of a pair has four times as many attempts, from anywhere; and
   * without an identifier clients are told apart by what they say of themselves (address, cookies, name and
   * language of the browser), which shuts out nobody else and stops nobody who changes it. Either is warned of. A
   * browser in which a user has signed in has attempts of its own for that user. Default "both".
   */
  by?: CountBy;
  /**
   * The address of the client, as the connection or a proxy that you trust says it. Default: the one of the
   * request in `auth.run()` or `auth.handle()`; outside of them `CF-Connecting-IP` on workers, else unknown.
   */
  clientAddress?: (request: Request) => string | null | undefined;
  /** Told of storages that fail and of clients without an address. Default: that of `createAuth()`. */
  logger?: Logger;
  /** The clock, in milliseconds since 1970. Default: that of `createAuth()`, else `Date.now`. */
  now?: () => number;
}

/** What `createRateLimiter()` is told. */
export interface RateLimiterOptions extends LimiterOptions {
  /** What is limited: letters, digits, `-` and `_`. Limiters with one name and one storage count together. */
  name: string;
  /**
   * Whether each tenant has attempts of its own, for whatever is a tenant's. Not for what is a user's, since
   * users are the same in all tenants and the client names the tenant. Default true.
   */
  perTenant?: boolean;
  /**
   * What happens when the storage does not answer: "refuse" with a 503, or "allow". Either is logged.
   * Default "refuse".
   */
  onStorageFailure?: "refuse" | "allow";
}

/** The keys of {@linkcode LimiterOptions}. */
export const LIMITER_KEYS: readonly string[] = [
  "limit",
  "window",
  "by",
  "clientAddress",
  "logger",
  "now",
];
const KEYS = ["name", ...LIMITER_KEYS, "perTenant", "onStorageFailure"];

/**
 * Checks what a limiter is made of.
 *
 * @throws {ConfigurationError} Naming the option.
 */
export function checkOptions(
  storage: unknown,
  options: unknown,
): asserts options is RateLimiterOptions {
  if (!isRateLimitStorage(storage)) {
    throw wrongOption("storage", storage, "what createSqlRateLimitStorage() and the like return");
  }
  if (!isOptions(options)) throw wrongOption("createRateLimiter()", options, "an object");
  checkKeys(options, KEYS, "");
  const { name, by = "both", clientAddress, onStorageFailure = "refuse", now } = options;
  const { perTenant = true } = options;
  if (typeof perTenant !== "boolean") throw wrongOption("perTenant", perTenant, "true or false");
  if (typeof name !== "string" || !/^[A-Za-z][\w-]{0,39}$/.test(name)) {
    throw wrongOption("name", name, "at most 40 letters, digits, - and _");
  }
  checkLimit(options, "");
  if (by !== "address" && by !== "identifier" && by !== "both") {
    throw wrongOption("by", by, '"address", "identifier" or "both"');
  }
  if (clientAddress !== undefined && typeof clientAddress !== "function") {
    throw wrongOption("clientAddress", clientAddress, "a function of the request");
  }
  if (onStorageFailure !== "refuse" && onStorageFailure !== "allow") {
    throw wrongOption("onStorageFailure", onStorageFailure, '"refuse" or "allow"');
  }
  if (now !== undefined && typeof now !== "function") {
    throw wrongOption("now", now, "a function");
  }
}
