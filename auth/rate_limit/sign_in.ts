/**
 * Rate limits of the ways to sign in.
 *
 * @module
 */

import type { EndpointContext, Settings } from "../core/contracts.ts";
import { statelessOf } from "../core/provider.ts";
import { accountOf, guardOf } from "../core/request.ts";
import { isAuthError, RateLimitedError, StorageUnavailableError } from "../errors.ts";
import {
  type RateLimit,
  rateLimitGroup,
  type RateLimits,
  type RateLimitStorage,
  readRateLimits,
} from "../storage/rate_limits.ts";
import { limitHeaders, limitKey, type LimitKeyParts, secondsOf } from "./keys.ts";

/** One attempt that is to be counted. */
export interface Attempt {
  /** Limit to count against. */
  of: "login" | "emailVerification";
  /** Id of the provider. */
  provider: string;
  /** Identifier as typed; null when there is none. */
  identifier: string | null;
  /**
   * Separate count: "code", so that wrong passwords never lock out a code; "change" and "confirm",
   * so that an account that names another person's mailbox cannot hold back its sign-in emails; by
   * address alone "passkey", for the same reason, and "prepare" for a step that verifies nothing
   * yet; "password" for the change of one; "sign-up" and "reset", so that mails which anybody can ask for do not hold
   * back each other; "invitation", for the same reason; "recovery" for requests to do without a lost second factor.
   * Default: no separate count.
   */
  apart?:
    | "code"
    | "change"
    | "confirm"
    | "invitation"
    | "passkey"
    | "password"
    | "prepare"
    | "recovery"
    | "reset"
    | "sign-up";
}

/** Takes an attempt back, which does not count then: call it when a sign-in has succeeded. */
export interface Refund {
  (): void;
  /** True for an attempt that may let in the user of the known browser and nobody else. Default false. */
  ownOnly?: boolean;
}

interface Limits extends RateLimits {
  storage: RateLimitStorage;
}

/** One of the counts in which an attempt must find room. */
interface Bucket extends RateLimit {
  /** Parts of the key. */
  by: LimitKeyParts;
  /** Counts on when a later one is full. Default false. */
  stays?: boolean;
  /** Tells a client that exceeds this limit to sign in by email. Default false. */
  useEmail?: boolean;
  /** Counts in its place when it is full, for the user of the known browser alone. Default: nothing does. */
  own?: Bucket | null;
}

// What an address may do alone, for all who share it.
const ADDRESS_FACTOR = 20;
// From anywhere: at most 100 wrong guesses at one account (NIST SP 800-63B-4, 3.2.2), in a day.
const GUESSES = { limit: 100, window: 86_400 };
// In a browser in which the owner has signed in before.
const KNOWN: RateLimit = { limit: 10, window: 3600 };

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
  const counting = limits.storage ?? storage.group?.(rateLimitGroup);
  if (counting) return { ...limits, storage: counting };
  const { createRateLimits } = statelessOf({ strategy });
  logger.warn("rate-limits-in-memory", {});
  return { ...limits, storage: createRateLimits() };
}

/** Message of a full day: ways that strangers cannot close. Pages name those that the application has. */
const WAY_ON =
  "There have been too many attempts to sign in to this account. Sign in another way, or set a new password.";

/** Several times a limit, up to the most that one can be. */
function times({ limit, window }: RateLimit, factor: number): RateLimit {
  return { limit: Math.min(1000, limit * factor), window };
}

/** An account as somebody names it, and what the application allows. */
interface Named {
  identifier: string;
  rule: RateLimit;
}

/** Buckets of an attempt by an unknown browser at a named account. */
function bucketsOfGuess(name: string, address: string | null, who: Named): Bucket[] {
  const { identifier, rule } = who;
  const limit = Math.max(GUESSES.limit, rule.limit);
  const anywhere = { by: { name: `${name}-day`, identifier }, limit, window: GUESSES.window };
  // Without an address strangers share what there is with the owner.
  const here: Bucket = address === null
    ? { by: { name, identifier }, ...times(rule, 4) }
    : { by: { name, identifier, address }, ...rule };
  return [here, { ...anywhere, useEmail: true }];
}

/**
 * Buckets of an attempt. Never per tenant: the client names it, and users are the same in all of
 * them. Without an address nothing is counted that all clients would share, since one could lock
 * out everybody.
 */
async function bucketsOf(
  { store }: Pick<EndpointContext, "store">,
  { of: kind, identifier, apart }: Attempt,
  rule: RateLimit,
): Promise<Bucket[]> {
  const name = apart === undefined ? kind : `${kind}-${apart}`;
  const { settings } = store.auth;
  const address = store.address();
  if (address === null) {
    settings.logger.warn("client-address-unknown", { limiter: name, requestId: store.requestId() });
  }
  const byAddress = (factor: number): Bucket[] =>
    address === null ? [] : [{ by: { name, address }, ...times(rule, factor), stays: true }];
  // Pages ask for what prepares a sign-in whenever they are shown.
  if (apart === "prepare") return byAddress(100);
  if (apart === "passkey") return byAddress(ADDRESS_FACTOR);

  const isLogin = kind === "login";
  const known = await guardOf(settings)?.find(store, identifier ?? "", { proved: !isLogin });
  const ownRule = isLogin && rule.limit <= KNOWN.limit ? KNOWN : rule;
  const own = known ? { by: { name: `${name}-known`, identifier: known }, ...ownRule } : null;
  // Who says nothing about who it is guesses at all accounts at once: better shut out than let in, and a known
  // browser has attempts at its own user alone.
  if (identifier === null) return [{ by: { name, address }, ...times(rule, ADDRESS_FACTOR), own }];
  if (own !== null) return [own];
  return [
    ...byAddress(ADDRESS_FACTOR),
    ...isLogin
      ? bucketsOfGuess(name, address, { identifier, rule })
      : [{ by: { name, identifier }, ...rule }],
  ];
}

/** Reason for a refusal, and the bucket that is full. */
interface Refusal {
  bucket: Bucket;
  error: RateLimitedError;
}

/** Counts an attempt in each of its counts. */
async function take(
  context: Pick<EndpointContext, "store">,
  attempt: Attempt,
): Promise<{ refused: Refusal | null; refund: Refund }> {
  const { store } = context;
  const { settings } = store.auth;
  const limits = limitsOf(settings);
  if (limits === null) return { refused: null, refund() {} };
  const { of: name, provider, identifier } = attempt;
  const { storage, [name]: rule } = limits;
  const now = settings.now();
  const taken: [bucket: Bucket, key: string, hit: unknown][] = [];

  function refund(all = true): void {
    for (const [{ stays }, key, hit] of taken) {
      if (all || !stays) store.waitUntil(storage.refundRateLimit(key, hit));
    }
  }

  /** Counts in one bucket; null when it had room, else when it has room again. */
  async function count(bucket: Bucket): Promise<number | null> {
    const { limit, window, by } = bucket;
    const key = await limitKey(by);
    const { allowed, resetAt, hit } = await storage
      .takeRateLimit(key, { limit, window: window * 1000, now })
      .catch((cause) => {
        throw isAuthError(cause) ? cause : new StorageUnavailableError(undefined, { cause });
      });
    if (allowed) taken.push([bucket, key, hit]);
    return allowed ? null : resetAt;
  }

  let ownOnly = false;
  for (const bucket of await bucketsOf(context, attempt, rule)) {
    const { limit, window, useEmail = false, own } = bucket;
    const resetAt = await count(bucket);
    if (resetAt === null) continue;
    if (own && await count(own) === null) {
      ownOnly = true;
      continue;
    }
    // What is not tried is no guess. The address counts on: it may be one that floods.
    refund(false);
    store.report({
      type: "rate-limited",
      limiter: name,
      provider,
      ...await accountOf(settings, identifier),
    });
    const reset = secondsOf(resetAt - now, window);
    const headers = limitHeaders({ name, limit, window, remaining: 0, reset, allowed: false });
    return {
      refused: {
        bucket,
        error: new RateLimitedError(useEmail ? WAY_ON : undefined, { headers, useEmail }),
      },
      refund() {},
    };
  }
  return { refused: null, refund: Object.assign(() => refund(), { ownOnly }) };
}

/**
 * Counts an attempt to sign in. Each method calls it before it does anything costly. An attempt that is refused for its
 * identifier still counts for its address.
 *
 * @throws {RateLimitedError} When there have been too many; it is reported.
 * @throws {StorageUnavailableError} When nobody can say how many there have been.
 */
export async function limitAttempts(context: EndpointContext, attempt: Attempt): Promise<Refund> {
  const { refused, refund } = await take(context, attempt);
  if (refused !== null) throw refused.error;
  return refund;
}

/**
 * Counts a requested email. Strangers can use up what a mailbox may get, so whoever asks for one
 * more is not told: nothing is sent.
 *
 * @returns False when nothing is to be sent.
 * @throws {RateLimitedError} When one address has asked for too many; it is reported.
 * @throws {StorageUnavailableError} When nobody can say how many there have been.
 */
export async function mayBeMailed(
  context: Pick<EndpointContext, "store">,
  attempt: Attempt & { of: "emailVerification"; identifier: string },
): Promise<boolean> {
  const { refused } = await take(context, attempt);
  if (refused?.bucket.stays) throw refused.error;
  return refused === null;
}
