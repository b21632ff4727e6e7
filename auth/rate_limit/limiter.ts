/**
 * Rate limiters of an application's own.
 *
 * @module
 */

import { clientAddress } from "../core/client_address.ts";
import type { RequestStore } from "../core/contracts.ts";
import { answerError } from "../core/error_response.ts";
import { accountOf, findRequest, guardOf } from "../core/request.ts";
import { isAuthError, RateLimitedError, StorageUnavailableError } from "../errors.ts";
import { canonicalAddress } from "../lib/ip_address.ts";
import { createSafeLogger, type Logger } from "../lib/logger.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import {
  checkLimit,
  isRateLimitStorage,
  type RateLimit,
  type RateLimitStorage,
  type RateLimitTake,
} from "../storage/rate_limits.ts";
import type { RequestTenant } from "../types/tenant.ts";
import { limitHeaders, limitKey, type LimitKeyParts, secondsOf } from "./keys.ts";

/** Options for {@linkcode RateLimiter.check}. */
export interface RateLimitCheck {
  /** Identifier as typed: an email address, a name. It is stored as a hash. */
  identifier?: string;
  /** Id of the tenant for which it counts. Default with `perTenant`: that of the request in `auth.run()`. */
  tenant?: string;
}

/** Counts of a limiter. */
export interface RateLimitCounts {
  /** True within the limit. */
  success: boolean;
  /** Attempts allowed within the window. */
  limit: number;
  /** Attempts that remain at this moment. */
  remaining: number;
  /**
   * Whole seconds until the oldest counted attempt expires: for a refused client, until the next
   * attempt.
   */
  reset: number;
}

/** Result of a limiter for a request. */
export interface RateLimitResult extends RateLimitCounts {
  /**
   * Response for a refused request: 429, or 503 when the storage does not answer. By `Accept` JSON,
   * or a page where the application has pages, else text.
   */
  response?: Response;
  /**
   * Takes the attempt back, such as a sign-in that succeeded. It never throws. Every limiter of this library gives it;
   * one of your own need not.
   */
  refund?(): Promise<void>;
}

/** Limits how often something happens. */
export interface RateLimiter {
  /** Counts a request, unless the limit is reached. */
  check(request: Request, options?: RateLimitCheck): Promise<RateLimitResult>;
  /**
   * Returns `RateLimit` and `RateLimit-Policy` for a response of your own, and `Retry-After` for a
   * refusal. The `response` of a result has them.
   */
  headers(result: RateLimitCounts): Record<string, string>;
}

const RETRY_SECONDS = 2;

/**
 * Refused result, which creates its response on demand so that a flood does not render a page each
 * time.
 */
class Refusal implements RateLimitResult {
  readonly success = false;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly #respond: (result: RateLimitCounts) => Response;
  #response: Response | undefined;

  constructor(
    { limit, remaining, reset }: Omit<RateLimitCounts, "success">,
    respond: (result: RateLimitCounts) => Response,
  ) {
    this.limit = limit;
    this.remaining = remaining;
    this.reset = reset;
    this.#respond = respond;
  }

  get response(): Response {
    return this.#response ??= this.#respond(this);
  }

  refund(): Promise<void> {
    return Promise.resolve();
  }
}

// Without an address strangers share what there is with the owner.
const UNKNOWN_FACTOR = 4;
const MAX_LIMIT = 1000;

/** Headers by which clients without an address are told apart. Anyone can forge them. */
const CLAIMS = [
  "cf-connecting-ip",
  "x-forwarded-for",
  "forwarded",
  "x-real-ip",
  "cookie",
  "user-agent",
  "accept-language",
];

/**
 * Key for a client without an address. Changing the headers yields new attempts, but using up one
 * client's attempts locks out nobody else.
 */
function claimsOf({ headers }: Request): string {
  return JSON.stringify(CLAIMS.map((name) => headers.get(name)));
}

/** Key of a request and its limit. */
interface CountedBy {
  parts: LimitKeyParts;
  /** Maximum number of attempts. */
  most: number;
}

const NOTHING = { address: { trustedProxies: null } };

/**
 * Makes a limiter of your own.
 *
 * @param storage Where attempts are counted; it decides how exactly.
 * @param options What is limited, and how.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createMemoryRateLimitStorage, createRateLimiter } from "@framework/auth/rate-limit";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * const limiter = createRateLimiter(createMemoryRateLimitStorage(), {
 *   name: "search",
 *   limit: 2,
 *   window: 60,
 *   clientAddress: () => "192.0.2.7",
 * });
 * const request = new Request("https://app.example/search");
 * const { success, limit, remaining, reset } = await limiter.check(request);
 * deepEqual({ success, limit, remaining, reset }, {
 *   success: true,
 *   limit: 2,
 *   remaining: 1,
 *   reset: 60,
 * });
 * await limiter.check(request);
 * equal((await limiter.check(request)).response?.status, 429);
 * ```
 */
export function createRateLimiter(
  storage: RateLimitStorage,
  options: RateLimiterOptions,
): RateLimiter {
  checkOptions(storage, options);
  const { name, limit, window, by = "both", onStorageFailure = "refuse" } = options;
  const ownLogger = options.logger === undefined ? null : createSafeLogger(options.logger);

  function loggerOf(store: RequestStore | undefined): Logger {
    return ownLogger ?? store?.auth.settings.logger ?? createSafeLogger(undefined);
  }

  function addressOf(request: Request, store: RequestStore | undefined): string | null {
    if (options.clientAddress !== undefined) {
      const given = options.clientAddress(request);
      return typeof given === "string" ? canonicalAddress(given.trim()) : null;
    }
    return store === undefined ? clientAddress(request, {}, NOTHING) : store.address();
  }

  /** The browser of the request, where the owner of the identifier has signed in there. */
  async function knownAs(who: string, store: RequestStore): Promise<string | null> {
    const guard = guardOf(store.auth.settings);
    // What mails somebody asks for an address that its user has proved.
    return await guard?.find(store, who, { proved: by === "identifier" }) ?? null;
  }

  function partsOf(
    request: Request,
    { identifier: who, tenant }: Pick<LimitKeyParts, "identifier" | "tenant">,
    store: RequestStore | undefined,
  ): CountedBy {
    if (by === "identifier" && who) {
      return { parts: { name, identifier: who, tenant }, most: limit };
    }
    const address = addressOf(request, store);
    if (address !== null) return { parts: { name, address, identifier: who, tenant }, most: limit };
    loggerOf(store).warn("client-address-unknown", { limiter: name });
    // Strangers share with the owner what there is for the identifier.
    if (who) {
      const most = Math.min(MAX_LIMIT, limit * UNKNOWN_FACTOR);
      return { parts: { name, identifier: who, tenant }, most };
    }
    return { parts: { name, identifier: `?${claimsOf(request)}`, tenant }, most: limit };
  }

  /** Determines the key of a request and the limit for its kind. */
  async function countedBy(
    request: Request,
    given: RateLimitCheck,
    store: RequestStore | undefined,
  ): Promise<CountedBy> {
    const { identifier, tenant } = given;
    const who = by === "address" ? undefined : identifier;
    const known = who && store ? await knownAs(who, store) : null;
    if (known === null) return partsOf(request, { identifier: who, tenant }, store);
    return { parts: { name: `${name}-known`, identifier: known, tenant }, most: limit };
  }

  /** With the tenant of the request, unless it says which. */
  async function placed(given: RateLimitCheck, tenant: RequestTenant): Promise<RateLimitCheck> {
    const id = given.tenant ?? (await tenant.load())?.id;
    return id === undefined ? given : { ...given, tenant: id };
  }

  /** Result when the storage does not answer. */
  function failed(
    cause: unknown,
    request: Request,
    store: RequestStore | undefined,
  ): RateLimitResult {
    if (isAuthError(cause) && cause.code === "CONFIGURATION") throw cause;
    loggerOf(store).error("rate-limit-storage-failed", { limiter: name, error: cause });
    const result = { limit, remaining: 0, refund: () => Promise.resolve() };
    if (onStorageFailure === "allow") return { success: true, reset: 0, ...result };
    const response = answerError(new StorageUnavailableError(undefined, { cause }), request);
    return { success: false, reset: RETRY_SECONDS, ...result, response };
  }

  async function refund(key: string, hit: unknown, store: RequestStore | undefined): Promise<void> {
    try {
      await storage.refundRateLimit(key, hit);
    } catch (error) {
      loggerOf(store).error("rate-limit-refund-failed", { limiter: name, error });
    }
  }

  function headersOf(counts: RateLimitCounts): Record<string, string> {
    const { success: allowed, limit, remaining, reset } = counts;
    return limitHeaders({ name, limit, window, remaining, reset, allowed });
  }

  return {
    async check(request, given = {}) {
      const store = findRequest();
      const now = (options.now ?? store?.auth.settings.now ?? Date.now)();
      const tenant = options.perTenant === false ? null : store?.auth.tenant ?? null;
      let key: string;
      let most: number;
      let taken: RateLimitTake;
      try {
        const where = tenant === null ? given : await placed(given, tenant);
        const counted = await countedBy(request, where, store);
        most = counted.most;
        key = await limitKey(counted.parts);
        taken = await storage.takeRateLimit(key, { limit: most, window: window * 1000, now });
      } catch (error) {
        return failed(error, request, store);
      }
      const { allowed, remaining, hit } = taken;
      const reset = secondsOf(taken.resetAt - now, window);
      if (allowed) {
        return {
          success: true,
          limit: most,
          remaining,
          reset,
          refund: () => refund(key, hit, store),
        };
      }
      if (store !== undefined) {
        const account = await accountOf(store.auth.settings, given.identifier);
        store.report({ type: "rate-limited", limiter: name, ...account });
      }
      return new Refusal(
        { limit: most, remaining, reset },
        (result) =>
          answerError(new RateLimitedError(undefined, { headers: headersOf(result) }), request),
      );
    },
    headers: headersOf,
  };
}

/** Key by which attempts are counted. */
export type CountBy = "address" | "identifier" | "both";

/** Options common to all limiters. */
export interface LimiterOptions extends RateLimit {
  /**
   * Key of the attempts: the client's address, the identifier given to `check()`, or the pair of
   * the two. When the address is unknown, an identifier of a pair has four times as many attempts,
   * from anywhere; and without an identifier, clients are told apart by their headers (address,
   * cookies, name and language of the browser), which locks out nobody else and stops nobody who
   * changes them. Both are logged as warnings. A browser in which a user has signed in has attempts
   * of its own for that user. Default "both".
   */
  by?: CountBy;
  /**
   * Returns the address of the client, from the connection or a proxy that you trust. Default: the
   * one of the request in `auth.run()` or `auth.handle()`; outside of them `CF-Connecting-IP` on
   * workers, else unknown.
   */
  clientAddress?: (request: Request) => string | null | undefined;
  /**
   * Logger for storages that fail and clients without an address. Default: that of `createAuth()`.
   */
  logger?: Logger;
  /** The clock, in milliseconds since 1970. Default: that of `createAuth()`, else `Date.now`. */
  now?: () => number;
}

/** Options for `createRateLimiter()`. */
export interface RateLimiterOptions extends LimiterOptions {
  /**
   * Name of the limiter: letters, digits, `-` and `_`. Limiters with the same name and storage
   * count together.
   */
  name: string;
  /**
   * Counts separately for each tenant, for resources of a tenant. Not for resources of a user:
   * users are the same in all tenants, and the client names the tenant. Default true.
   */
  perTenant?: boolean;
  /**
   * Behaviour when the storage does not answer: "refuse" with a 503, or "allow". Both are logged.
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
function checkOptions(
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
