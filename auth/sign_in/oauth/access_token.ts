/**
 * Access tokens of providers, refreshed when they have expired.
 *
 * @module
 */

import type { Settings } from "../../core/contracts.ts";
import type { OAuthTokens } from "../../core/oauth_contracts.ts";
import { currentRequest } from "../../core/request.ts";
import {
  ConfigurationError,
  OAuthError,
  StorageUnavailableError,
  UnauthenticatedError,
} from "../../errors.ts";
import { fromBase64UrlText } from "../../lib/encoding.ts";
import { linkedAccountGroup } from "../../storage/accounts.ts";
import type { AccountRecord, AccountTokens } from "../../storage/records.ts";
import type { Profile } from "../../types/callbacks.ts";
import { groupOf } from "../../storage/storage.ts";
import type { OAuthClient, OAuthServer } from "./client.ts";
import { findClient } from "./provider.ts";
import { invalidResponse } from "./request.ts";
import { openToken, requestTokens, sealTokens } from "./tokens.ts";

/** Options for `getAccessToken()`. */
export interface AccessTokenOptions {
  /** User's id at the provider. Default: the account there that was linked first. */
  providerAccountId?: string;
}

// A token that is about to expire may have expired when it arrives.
const MARGIN = 60_000;
const FIRST_PAUSE = 25;
const LONGEST_PAUSE = 400;
// Longer than a lease lasts.
const MAX_TURNS = 60;

async function findAccount(
  context: RefreshContext,
  userId: string,
  { providerAccountId }: AccessTokenOptions,
): Promise<AccountRecord> {
  const { client, settings } = context;
  const accounts = await groupOf(settings.storage, linkedAccountGroup).listAccounts(userId);
  const account = accounts.find((candidate) =>
    candidate.provider === client.id &&
    (providerAccountId === undefined || candidate.providerAccountId === providerAccountId)
  );
  if (account !== undefined && account.accessToken !== null) return account;
  throw new OAuthError("OAUTH_GRANT_LOST", "Sign in at the provider to go on");
}

function isFresh({ expiresAt, updatedAt }: AccountRecord, now: number): boolean {
  // Of one that lives for a minute only, half of that.
  return expiresAt === null || expiresAt - Math.min(MARGIN, (expiresAt - updatedAt) / 2) > now;
}

async function openAccessToken(context: RefreshContext, account: AccountRecord): Promise<string> {
  const token = await openToken(account.accessToken!, account, context.settings);
  if (token !== null) return token;
  throw new OAuthError("OAUTH_GRANT_LOST", "Sign in at the provider to go on");
}

/**
 * An access token with which to act for the signed-in user at a provider. One that has expired, or will
 * within a minute, is refreshed first. Of any number of requests that want the same one at once, in any number of
 * isolates, one asks the provider: a refresh token that is used twice can end the user's consent. When that fails, it has
 * failed for all who wait, and the next request asks again. An ID token that comes with the new tokens must be about the
 * same user (OpenID Connect Core, 12.2).
 *
 * @param provider Id of the provider.
 * @param options `providerAccountId`: which of the user's accounts there. Default: the one linked
 * first.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OAuthError} `OAUTH_GRANT_LOST` when there is no account there, or no consent any more: the user must sign
 * in at the provider again. `OAUTH_UNAVAILABLE` when the provider does not answer, or has not answered another request
 * that wanted the same token: try again later. `OAUTH_RESPONSE_INVALID` when its answer cannot be believed.
 * @throws {ConfigurationError} Without `secret`, without a database, or for an unknown provider.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getAccessToken, github, sealedTokens } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providerTokens: sealedTokens,
 *   providers: [github({ clientId: "app", clientSecret: "secret" })],
 * });
 * const request = new Request("http://localhost/repositories");
 * const response = await auth.run(request, {}, undefined, async () => {
 *   const token = await getAccessToken("github");
 *   return await fetch("https://api.github.com/user/repos", {
 *     headers: { authorization: `Bearer ${token}` },
 *   });
 * });
 * equal(response.status, 401);
 * ```
 */
export async function getAccessToken(
  provider: string,
  options: AccessTokenOptions = {},
): Promise<string> {
  const { auth } = currentRequest("getAccessToken");
  const { settings } = auth;
  const client = findClient(settings, provider);
  if (settings.secrets.length === 0 || settings.providerTokens === null) {
    throw new ConfigurationError(
      "Cannot give access tokens: they are stored only with providerTokens: sealedTokens, and with `secret`",
      { field: settings.providerTokens === null ? "providerTokens" : "secret" },
    );
  }
  const state = await auth.load();
  if (state.status !== "valid") throw new UnauthenticatedError();
  const userId = state.session.user.id;
  const context = { client, settings };
  let pause = FIRST_PAUSE;
  // The lease that is waited for, which ends never where it was taken and not seen, and the token that it is to renew.
  let awaited: { end: number; accessToken: string | null } = { end: 0, accessToken: null };
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const account = await findAccount(context, userId, options);
    if (isFresh(account, settings.now())) return await openAccessToken(context, account);
    const end = leaseEnd(account);
    const isHeld = end > settings.now();
    const isOver = awaited.end > settings.now() && end !== awaited.end &&
      !(awaited.end === Infinity && isHeld);
    // It was given back without a token: to ask once more for each who waits would take long, and a provider that
    // rotates would end the grant.
    if (isOver && account.accessToken === awaited.accessToken) {
      throw new OAuthError("OAUTH_UNAVAILABLE", "Another request could not refresh the token");
    }
    const { accessToken } = account;
    awaited = { end, accessToken };
    if (!isHeld) {
      const server = await client.server(settings);
      const leased = await takeLease(context, account);
      if (leased !== null) return await refreshTokens({ ...context, server }, leased);
      awaited = { end: Infinity, accessToken };
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
  throw new OAuthError(
    "OAUTH_UNAVAILABLE",
    "Another request is refreshing the token and has not finished",
  );
}

/** Provider and settings for refreshing tokens. */
interface RefreshContext {
  /** The provider. */
  client: OAuthClient;
  /** The options of the application. */
  settings: Settings;
}

/** The same when a lease was taken. */
export interface LeaseContext extends RefreshContext {
  /** The provider's server: found before, since that may take longer than a lease lasts. */
  server: OAuthServer;
}

// Longer than a call to the provider may take, and what comes after it.
const LEASE = 15_000;
const STORE_ATTEMPTS = 4;
const STORE_PAUSE = 100;
// The code of RFC 6749, 5.2, and those of providers that deviate.
const DEAD_GRANTS = new Set(["invalid_grant", "bad_refresh_token", "invalid_token"]);

/**
 * End of another request's lease to refresh the tokens; 0 for none. It stands before the sealed
 * token.
 */
export function leaseEnd({ refreshToken }: Pick<AccountRecord, "refreshToken">): number {
  return Number(/^lease (\d+) /.exec(refreshToken ?? "")?.[1] ?? 0);
}

/** The sealed refresh token without the lease before it. */
export function withoutLease(refreshToken: string): string {
  return refreshToken.replace(/^lease \d+ /, "");
}

/**
 * Writes tokens if they are unchanged since the account was read; returns the updated account, or
 * null.
 */
async function swap(
  { settings }: RefreshContext,
  account: AccountRecord,
  tokens: AccountTokens,
): Promise<AccountRecord | null> {
  const { provider, providerAccountId, updatedAt: from } = account;
  // It must grow, also within one millisecond, since it is what the next writer compares.
  const at = Math.max(settings.now(), from + 1);
  const won = await groupOf(settings.storage, linkedAccountGroup)
    .swapAccountTokens(provider, providerAccountId, { ...tokens, from, at });
  return won ? { ...account, ...tokens, updatedAt: at } : null;
}

function tokensOf(account: AccountRecord): AccountTokens {
  const { accessToken, refreshToken, expiresAt, tokenType, scope } = account;
  return { accessToken, refreshToken, expiresAt, tokenType, scope };
}

/**
 * Takes a lease to refresh the tokens of an account. It expires, so that a crashed request does not
 * block others for long.
 *
 * @returns The account, or null when somebody else was faster.
 * @throws {OAuthError} `OAUTH_GRANT_LOST` when there is nothing to refresh with.
 */
async function takeLease(
  context: RefreshContext,
  account: AccountRecord,
): Promise<AccountRecord | null> {
  if (account.refreshToken === null) {
    throw new OAuthError(
      "OAUTH_GRANT_LOST",
      "The access token has expired and cannot be refreshed",
    );
  }
  const end = context.settings.now() + LEASE;
  const refreshToken = `lease ${end} ${withoutLease(account.refreshToken)}`;
  return await swap(context, account, { ...tokensOf(account), refreshToken });
}

/**
 * Refuses an ID token of another provider, for another application or about another user (OpenID Connect Core, 12.2). It
 * comes from the token endpoint itself, which stands for the signature (3.1.3.7, 6): no key that cannot be fetched now
 * loses a refresh token that the provider has changed.
 */
function checkIdToken(
  { client, server: { issuer } }: LeaseContext,
  { providerAccountId }: AccountRecord,
  idToken: string,
): void {
  let claims: Profile = {};
  try {
    claims = Object(JSON.parse(fromBase64UrlText(idToken.split(".")[1]!)!));
  } catch {
    // It says nothing.
  }
  const { iss, aud, sub } = claims;
  const isOurs = typeof sub === "string" && (issuer === null || iss === issuer) &&
    [aud].flat().includes(client.clientId) && (!client.bySubject || sub === providerAccountId);
  if (!isOurs) throw invalidResponse("The ID token of the refreshed tokens is not this user's");
}

async function askProvider(
  context: LeaseContext,
  account: AccountRecord,
  refreshToken: string,
): Promise<OAuthTokens> {
  const { client, server, settings } = context;
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  const tokens = await requestTokens(body, { client, server, caller: settings });
  if (client.type === "oidc" && tokens.idToken !== null) {
    checkIdToken(context, account, tokens.idToken);
  }
  return tokens;
}

/** The old refresh token is dead now, so the new one is not given up at the first failure. */
async function storeTokens(
  context: RefreshContext,
  account: AccountRecord,
  tokens: AccountTokens,
): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      await swap(context, account, tokens);
      return;
    } catch (error) {
      if (!(error instanceof StorageUnavailableError) || attempt === STORE_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * STORE_PAUSE));
    }
  }
}

/**
 * Refreshes the tokens of an account whose lease was taken. When the provider does not answer the old
 * refresh token stays: some providers take it once more. When it says that the grant is dead the tokens
 * go, so that it is not asked again and again.
 *
 * @returns The new access token.
 * @throws {OAuthError} `OAUTH_GRANT_LOST` or `OAUTH_UNAVAILABLE`, and others where the provider misbehaves.
 */
async function refreshTokens(
  context: LeaseContext,
  account: AccountRecord,
): Promise<string> {
  const sealed = withoutLease(account.refreshToken!);
  const refreshToken = await openToken(sealed, account, context.settings);
  const nothing = { accessToken: null, refreshToken: null, expiresAt: null, tokenType: null };
  const { scope } = account;
  let tokens: OAuthTokens;
  try {
    // Sealed with a secret that is not here. It stays: other isolates may have that secret.
    if (refreshToken === null) {
      throw new OAuthError("OAUTH_GRANT_LOST", "Sign in at the provider to go on");
    }
    tokens = await askProvider(context, account, refreshToken);
  } catch (error) {
    const isDead = error instanceof OAuthError && DEAD_GRANTS.has(error.reason ?? "");
    const left = isDead ? { ...nothing, scope } : { ...tokensOf(account), refreshToken: sealed };
    await swap(context, account, left);
    if (!isDead) throw error;
    throw new OAuthError("OAUTH_GRANT_LOST", "The provider no longer refreshes the access token");
  }
  const fresh = await sealTokens(tokens, account, context.settings);
  await storeTokens(context, account, {
    ...fresh,
    // Not every provider gives a new one, or says again what it is for.
    refreshToken: fresh.refreshToken ?? sealed,
    scope: fresh.scope ?? scope,
  });
  return tokens.accessToken;
}
