/**
 * Rate limiters of an application's own.
 *
 * @module
 */

import { clientAddress } from "../core/address.ts";
import type { RequestStore } from "../core/contracts.ts";
import { accountOf, findRequest, guardOf } from "../core/request.ts";
import { answerError } from "../core/respond.ts";
import { isAuthError, RateLimitedError, StorageUnavailableError } from "../errors.ts";
import { canonicalAddress } from "../lib/address.ts";
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
import { limitHeaders, limitKey, type LimitKeyParts, secondsOf } from "./limit.ts";

/** What {@linkcode RateLimiter.check} can be told. */
export interface RateLimitCheck {
  /** Who it is about, as it was typed: an e-mail address, a name. It is stored as a hash. */
  identifier?: string;
  /** Id of the tenant for which it counts. Default with `perTenant`: that of the request in `auth.run()`. */
  tenant?: string;
}

/** What a limiter has counted. */
export interface RateLimitCounts {
  /** Whether it is within the limit. */
  success: boolean;
  /** How many are let through within the window. */
  limit: number;
  /** How many more are let through at this moment. */
  remaining: number;
  /**
   * Whole seconds until the oldest attempt that counts is forgotten: for whoever is refused, until it is worth
   * trying again.
   */
  reset: number;
}

/** What a limiter says to a request. */
export interface RateLimitResult extends RateLimitCounts {
  /** The answer to whoever is refused: 429, or 503 when nobody can say. By `Accept` JSON, or a page where the application has pages, else text. */
  response?: Response;
  /**
   * Takes the attempt back, such as a sign-in that succeeded. It never throws. Every limiter of this library gives it; one
   * of your own need not.
   */
  refund?(): Promise<void>;
}

/** Limits how often something happens. */
export interface RateLimiter {
  /** Counts a request, unless the limit is reached. */
  check(request: Request, options?: RateLimitCheck): Promise<RateLimitResult>;
  /**
   * `RateLimit` and `RateLimit-Policy` for a response of your own, and `Retry-After` for whoever is refused. The
   * `response` of a result has them.
   */
  headers(result: RateLimitCounts): Record<string, string>;
}

const RETRY_SECONDS = 2;

/** Who floods a limiter should not make it write a page each time: the response is made when it is asked for. */
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

/** What a client says of itself, by which two of them may be told apart. All of it anybody can write. */
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
 * What stands for a client without an address: whoever changes it has new attempts, and whoever uses those of one client up
 * shuts out nobody else.
 */
function claimsOf({ headers }: Request): string {
  return JSON.stringify(CLAIMS.map((name) => headers.get(name)));
}

/** What a request is counted by. */
interface CountedBy {
  parts: LimitKeyParts;
  /** How many there may be. */
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

  /** What the request is counted by, and how many of the kind there may be. */
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

  /** What is said when nobody can say how many there have been. */
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
