/**
 * Tokens of a provider: read from its answer, sealed for the database.
 *
 * @module
 */

import type { Settings } from "../../core/contracts.ts";
import type { AccountKey, KeepTokens, OAuthTokens } from "../../core/oauth_contracts.ts";
import { OAuthError } from "../../errors.ts";
import { seal, unseal } from "../../lib/keys.ts";
import { readMade } from "../../lib/options.ts";
import type { AccountTokens } from "../../storage/records.ts";
import type { Account } from "../../types/callbacks.ts";
import { postForm } from "./client_auth.ts";
import { invalidResponse, parseObject, type Reply } from "./request.ts";

function optionalText(body: Record<string, unknown>, name: string): string | null {
  const value = body[name] ?? "";
  if (value === "") return null;
  if (typeof value === "string") return value;
  throw invalidResponse(`The provider's "${name}" is not a string`);
}

function readExpiry(value: unknown, now: number): number | null {
  if ((value ?? null) === null) return null;
  const seconds = typeof value === "string" ? Number(value) : value;
  if (typeof seconds === "number" && seconds >= 0 && seconds < 1e10) {
    return now + Math.floor(seconds) * 1000;
  }
  throw invalidResponse('The provider\'s "expires_in" is not a number of seconds');
}

/** Error code of a provider if it is short and printable. */
export function readReason(value: unknown): string {
  return typeof value === "string" && /^[\w.:-]{1,64}$/.test(value) ? value : "unknown";
}

/**
 * Reads the answer of a token endpoint (RFC 6749, 5.1 and 5.2).
 *
 * @throws {OAuthError} `OAUTH_PROVIDER_ERROR` with the provider's `reason` when it refuses,
 * `OAUTH_RESPONSE_INVALID` for anything else that holds no tokens.
 */
export function readTokens(reply: Reply, now: number): OAuthTokens {
  const body = parseObject(reply);
  // Some providers report errors with status 200.
  if (typeof body.error === "string") {
    const reason = readReason(body.error);
    throw new OAuthError("OAUTH_PROVIDER_ERROR", `The provider answered "${reason}"`, { reason });
  }
  if (reply.status !== 200) {
    throw invalidResponse(`The token endpoint answered with status ${reply.status}`);
  }
  const accessToken = optionalText(body, "access_token") ?? "";
  const type = optionalText(body, "token_type")?.toLowerCase();
  // It becomes part of a header, which cannot hold more than this (RFC 6749, A.12).
  if (type !== "bearer" || !/^[\x20-\x7e]+$/.test(accessToken)) {
    throw invalidResponse("The provider issued no bearer token");
  }
  return {
    accessToken,
    refreshToken: optionalText(body, "refresh_token"),
    expiresAt: readExpiry(body.expires_in, now),
    scope: optionalText(body, "scope"),
    idToken: optionalText(body, "id_token"),
  };
}

// Status and code by which a provider refuses the application itself: those of RFC 6749, 5.2, and what others call it.
const REFUSAL = /client|redirect_uri|^40[14] (?!invalid_grant)/;

/**
 * Asks the token endpoint. A refusal of the application itself names the endpoint: no visitor can cause or mend it.
 *
 * @throws {OAuthError} As {@linkcode readTokens}.
 */
export async function requestTokens(
  body: URLSearchParams,
  at: Parameters<typeof postForm>[2],
): Promise<OAuthTokens> {
  const { client: { id }, server: { token: endpoint }, caller } = at;
  const reply = await postForm(endpoint, body, at);
  try {
    return readTokens(reply, caller.now());
  } catch (error) {
    const { status } = reply;
    const { code, message, reason = `status ${status}` } = error as OAuthError;
    if (!REFUSAL.test(`${status} ${reason}`)) throw error;
    throw new OAuthError(code, `${message}: check what is configured for "${id}" at ${endpoint}`, {
      reason,
      endpoint,
    });
  }
}

/** Storage of the providers' tokens for `getAccessToken()`: {@linkcode sealedTokens}. */
export interface ProviderTokens {
  /** Tells it from other objects. */
  readonly kind: "provider-tokens";
  /** Definition for internal use. */
  readonly definition: unknown;
}

/** Checks `providerTokens`. */
export function readProviderTokens(value: unknown): KeepTokens | null {
  const write = "sealedTokens of @framework/auth";
  const made = readMade<ProviderTokens>(value, "providerTokens", {
    kind: "provider-tokens",
    write,
  });
  return made && made.definition as KeepTokens;
}

/** Reduces tokens to the granted scope, for applications that do not store them. */
export function forgetTokens({ scope }: OAuthTokens): AccountTokens {
  return { accessToken: null, refreshToken: null, expiresAt: null, tokenType: null, scope };
}

/** The tokens as callbacks see them, in the clear. */
export function describeTokens(
  { accessToken, refreshToken, expiresAt, scope }: OAuthTokens,
): Omit<Account, keyof AccountKey | "type"> {
  return {
    access_token: accessToken,
    token_type: "bearer",
    ...refreshToken !== null && { refresh_token: refreshToken },
    ...expiresAt !== null && { expires_at: Math.floor(expiresAt / 1000) },
    ...scope !== null && { scope },
  };
}

/** Place of the tokens of an account, where alone they open. */
export function placeOfTokens({ provider, providerAccountId }: AccountKey): string {
  return `${provider}\n${providerAccountId}`;
}

/** Opens a token of an account; null for what was sealed for another account, or with another secret. */
export async function openToken(
  sealed: string,
  key: AccountKey,
  { secrets }: Settings,
): Promise<string | null> {
  return await unseal(sealed, { secrets, purpose: "provider-token", place: placeOfTokens(key) });
}

/** The tokens as the database keeps them: sealed, or without a secret not at all. */
export async function sealTokens(
  tokens: OAuthTokens,
  key: AccountKey,
  { secrets }: Settings,
): Promise<AccountTokens> {
  if (secrets.length === 0) return forgetTokens(tokens);
  const { accessToken, refreshToken, expiresAt, scope } = tokens;
  const options = { secrets, purpose: "provider-token", place: placeOfTokens(key) } as const;
  return {
    accessToken: await seal(accessToken, options),
    refreshToken: refreshToken === null ? null : await seal(refreshToken, options),
    expiresAt,
    tokenType: "bearer",
    scope,
  };
}

/**
 * Keeps what providers give, sealed with `secret`, so that `getAccessToken()` can act for users: for
 * `providerTokens` of `createAuth()`. Without it no token is stored, since a token that nobody has cannot
 * leak. Applications by convention that have a `secret` keep them.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, github, sealedTokens } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providerTokens: sealedTokens,
 *   providers: [github({ clientId: "app", clientSecret: "secret", scope: "repo" })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/providers"), {});
 * equal(response?.status, 200);
 * ```
 */
export const sealedTokens: ProviderTokens = { kind: "provider-tokens", definition: sealTokens };
