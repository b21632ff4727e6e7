/**
 * Signing keys of a provider, cached.
 *
 * @module
 */

import type { JSONWebKeySet } from "jose";
import { isOptions, wrongOption } from "../../lib/options.ts";
import { type Caller, getJson, invalidResponse, isProviderUrl } from "./request.ts";
import {
  acceptedAlgorithms,
  type FindKeys,
  identifyByIdToken,
  type IdTokenClient,
} from "./id_token.ts";

/** Fetches a set of keys. */
export async function fetchKeys(url: string, caller: Caller): Promise<JSONWebKeySet> {
  const jwks = await getJson(url, caller);
  const keys = isOptions(jwks) ? jwks.keys : null;
  if (Array.isArray(keys) && keys.every(isOptions)) return { keys };
  throw invalidResponse("The provider's keys are not a key set");
}

/** The keys with which a provider signs ID tokens, and the check of these. */
export interface RemoteKeys {
  /**
   * Makes what identifies somebody by an ID token, which only the library does.
   *
   * @internal
   */
  readonly identify: (client: IdTokenClient) => ReturnType<typeof identifyByIdToken>;
}

/**
 * The keys of a provider that describes itself nowhere, for `createOAuth2Provider()`. The check of ID
 * tokens comes with it, so that applications without it do not bundle it.
 *
 * @param url Address of the keys (RFC 7517).
 * @param options `algorithms`: how the provider may sign. Default `["RS256"]`.
 * @throws {ConfigurationError} When the address is not https.
 *
 * @example
 * ```ts
 * import { createOAuth2Provider, remoteKeys } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const provider = createOAuth2Provider({
 *   id: "example",
 *   name: "Example",
 *   clientId: "app",
 *   clientSecret: "secret",
 *   authorization: "https://id.example/authorize",
 *   token: "https://id.example/token",
 *   userinfo: "https://id.example/userinfo",
 *   issuer: "https://id.example",
 *   jwks: remoteKeys("https://id.example/jwks"),
 *   scope: "openid email",
 *   profile: (claims) => ({ id: (claims as { sub: string }).sub }),
 * });
 * equal(provider.kind, "provider");
 * ```
 */
export function remoteKeys(url: string, options: { algorithms?: string[] } = {}): RemoteKeys {
  if (!isProviderUrl(url)) throw wrongOption("jwks", url, "an address with https");
  const algorithms = acceptedAlgorithms(options.algorithms);
  const shared = createShared((caller) => fetchKeys(url, caller));
  const findKeys: FindKeys = async (caller, how) => ({
    jwks: await shared.get(caller, how),
    algorithms,
  });
  return { identify: (client) => identifyByIdToken({ client, findKeys }) };
}

/** Something of a provider that all requests of an isolate use: its description, its keys. */
export interface Shared<T> {
  /**
   * The value, fetched when there is none or it is too old.
   *
   * @param options `fresh`: one that was fetched after this moment, if it is time for that again.
   */
  get(caller: Caller, options?: { fresh?: boolean }): Promise<T>;
}

// A key that the provider has withdrawn counts for this long.
const MAX_AGE = 5 * 60 * 1000;
// While the provider does not answer, what it said last counts for this long.
const MAX_STALE = 60 * 60 * 1000;
// Whoever sends tokens with unknown keys must not make us call the provider each time.
const COOL_DOWN = 60 * 1000;
const PAUSE = 25;
const LONGEST_WAIT = 10_000;

/**
 * Makes a shared value. Of several requests that need it at once one fetches it. The others do not wait for
 * its promise, which belongs to its request and dies with it on workers, but look again and again.
 */
export function createShared<T>(load: (caller: Caller) => Promise<T>): Shared<T> {
  let held: { value: T; at: number } | null = null;
  let freshAt = -Infinity;
  let loading: object | null = null;

  async function waitForOther({ timeout = LONGEST_WAIT }: Caller): Promise<void> {
    const other = loading;
    for (let waited = 0; loading === other && waited < timeout; waited += PAUSE) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async function fetchNow(caller: Caller): Promise<T> {
    const mine = {};
    loading = mine;
    try {
      const value = await load(caller);
      held = { value, at: caller.now() };
      return value;
    } finally {
      if (loading === mine) loading = null;
    }
  }

  return {
    async get(caller, { fresh = false } = {}) {
      const before = held;
      const now = caller.now();
      const age = before === null ? Infinity : Math.abs(now - before.at);
      if (
        before !== null && (fresh ? now - freshAt < COOL_DOWN && loading === null : age < MAX_AGE)
      ) {
        return before.value;
      }
      if (loading !== null) {
        await waitForOther(caller);
        // What is old but there is good enough when the provider has failed others just now.
        const failed = loading === null && age < MAX_STALE;
        if (held !== null && (held !== before || failed)) return held.value;
      }
      if (fresh) freshAt = now;
      try {
        return await fetchNow(caller);
      } catch (error) {
        if (before !== null && age < MAX_STALE) return before.value;
        throw error;
      }
    },
  };
}
