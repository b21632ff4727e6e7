import type { Settings } from "../config/settings.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { RateLimitedError } from "../errors/rate_limited_error.ts";
import { StorageUnavailableError } from "../errors/storage_errors.ts";
import type { EndpointContext } from "../http/endpoint.ts";
import { statelessOf } from "../session/stateless_of.ts";
import { rateLimitsOf } from "../storage/rate_limits_of.ts";
import { limitHeaders, secondsOf } from "./limit_headers.ts";
import { limitKey } from "./limit_key.ts";
import { type RateLimits, readRateLimits } from "./rate_limit_config.ts";
import type { RateLimitStorage } from "./rate_limit_storage.ts";

/** One attempt that is to be counted. */
export interface Attempt {
  /** Which limit. */
  of: "login" | "emailVerification";
  /** Id of the provider. */
  provider: string;
  /** Who it says it is, as it was typed; null when it does not say. */
  identifier: string | null;
  /**
   * What is counted apart, by address: "passkey", so that no number of wrong passwords keeps a passkey out, and
   * "prepare" for a step that tries nothing yet. Default: nothing is.
   */
  apart?: "passkey" | "prepare";
}

/** Takes an attempt back, which does not count then: call it when a sign-in has succeeded. */
export type Refund = () => void;

interface Limits extends RateLimits {
  storage: RateLimitStorage;
}

// What an address may do alone, for all who share it; and the most that a limit can be.
const ADDRESS_FACTOR = 20;
// Pages ask for what prepares a sign-in whenever they are shown.
const PREPARE_FACTOR = 100;
const MAX_LIMIT = 1000;

const limitsBySettings = new WeakMap<Settings, Limits | null>();

/**
 * The limits of an application, made once; null for none.
 *
 * @throws {ConfigurationError} When the option `rateLimit` is wrong.
 */
export function limitsOf(settings: Settings): Limits | null {
  let limits = limitsBySettings.get(settings);
  if (limits === undefined) {
    limits = createLimits(settings);
    limitsBySettings.set(settings, limits);
  }
  return limits;
}

function createLimits({ rateLimit, storage, strategy, logger }: Settings): Limits | null {
  if (rateLimit === false) return null;
  const limits = readRateLimits(rateLimit);
  const counting = limits.storage ?? rateLimitsOf(storage);
  if (counting !== null) return { ...limits, storage: counting };
  const { createRateLimits } = statelessOf({ strategy });
  logger.warn("rate-limits-in-memory", {});
  return { ...limits, storage: createRateLimits() };
}

/**
 * What an attempt counts for: how many times the limit, and under which key. Never for one tenant: the
 * client names it, and users are the same in all of them.
 */
function keysOf(
  { store, requestId }: EndpointContext,
  { of: name, identifier, apart }: Attempt,
): [factor: number, key: string | Promise<string>][] {
  const address = store.address();
  // Whoever tries the same identifier shares what there is, or else everybody does.
  if (address === null) {
    store.auth.settings.logger.warn("client-address-unknown", { requestId });
  }
  if (apart !== undefined) {
    const factor = apart === "prepare" ? PREPARE_FACTOR : ADDRESS_FACTOR;
    return [[factor, limitKey({ name: `${name}-${apart}`, address })]];
  }
  const keys: [number, string | Promise<string>][] = [];
  if (address !== null || identifier === null) {
    keys.push([ADDRESS_FACTOR, limitKey({ name, address })]);
  }
  if (identifier === null) return keys;
  const isLogin = name === "login";
  keys.push([1, limitKey({ name, identifier, address: isLogin ? address : null })]);
  // From anywhere: at most 100 wrong guesses at one account (NIST SP 800-63B-4, 3.2.2).
  if (isLogin && address !== null) keys.push([ADDRESS_FACTOR, limitKey({ name, identifier })]);
  return keys;
}

/**
 * Counts an attempt to sign in, or to have an e-mail sent. Each method calls it before it does anything
 * costly. An attempt that is refused for its identifier still counts for its address.
 *
 * @throws {RateLimitedError} When there have been too many; it is reported.
 * @throws {StorageUnavailableError} When nobody can say how many there have been.
 */
export async function limitAttempts(context: EndpointContext, attempt: Attempt): Promise<Refund> {
  const { store } = context;
  const { settings } = store.auth;
  const limits = limitsOf(settings);
  if (limits === null) return () => {};
  const { of: name, provider } = attempt;
  const { storage, [name]: { window, limit: least } } = limits;
  const now = settings.now();
  const taken: [key: string, hit: unknown][] = [];

  for (const [factor, made] of keysOf(context, attempt)) {
    const key = await made;
    const limit = Math.min(MAX_LIMIT, least * factor);
    const rule = { limit, window: window * 1000, now };
    const { allowed, resetAt, hit } = await storage.takeRateLimit(key, rule).catch((cause) => {
      throw isAuthError(cause) ? cause : new StorageUnavailableError(undefined, { cause });
    });
    if (!allowed) {
      store.report({ type: "rate-limited", limiter: name, provider });
      const reset = secondsOf(resetAt - now, window);
      const headers = limitHeaders({ name, limit, window, remaining: 0, reset, allowed });
      throw new RateLimitedError(undefined, { headers });
    }
    taken.push([key, hit]);
  }
  return () => {
    for (const [key, hit] of taken) store.waitUntil(storage.refundRateLimit(key, hit));
  };
}
