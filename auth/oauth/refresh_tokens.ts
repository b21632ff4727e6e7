import { OAuthError } from "../errors/oauth_errors.ts";
import { StorageUnavailableError } from "../errors/storage_errors.ts";
import { linkedAccountsOf } from "../storage/linked_accounts_of.ts";
import { openToken, sealTokens } from "./sealed_tokens.ts";
import { postForm } from "./client_auth.ts";
import type { OAuthClient, OAuthServer } from "./oauth_client.ts";
import { readTokens } from "./read_tokens.ts";
import type { AccountRecord, AccountTokens } from "../storage/storage.ts";
import type { OAuthTokens } from "./contracts.ts";
import type { Settings } from "../http/contracts.ts";

/** With what tokens are refreshed. */
export interface RefreshContext {
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
// Beside that of RFC 6749, 5.2 those of providers that have words of their own.
const DEAD_GRANTS = new Set(["invalid_grant", "bad_refresh_token", "invalid_token"]);

/** Until when somebody else refreshes the tokens; 0 when nobody does. It stands before the sealed token. */
export function leaseEnd({ refreshToken }: AccountRecord): number {
  return Number(/^lease (\d+) /.exec(refreshToken ?? "")?.[1] ?? 0);
}

function withoutLease(refreshToken: string): string {
  return refreshToken.replace(/^lease \d+ /, "");
}

/** Writes tokens if nobody else did since the account was read; the account as it is then, or null. */
async function swap(
  { settings }: RefreshContext,
  account: AccountRecord,
  tokens: AccountTokens,
): Promise<AccountRecord | null> {
  const { provider, providerAccountId, updatedAt: from } = account;
  // It must grow, also within one millisecond, since it is what the next writer compares.
  const at = Math.max(settings.now(), from + 1);
  const won = await linkedAccountsOf(settings.storage)
    .swapAccountTokens(provider, providerAccountId, { ...tokens, from, at });
  return won ? { ...account, ...tokens, updatedAt: at } : null;
}

function tokensOf(account: AccountRecord): AccountTokens {
  const { accessToken, refreshToken, expiresAt, tokenType, scope } = account;
  return { accessToken, refreshToken, expiresAt, tokenType, scope };
}

/**
 * Takes the right to refresh the tokens of an account, for a while: whoever dies with it holds nobody up
 * for long.
 *
 * @returns The account, or null when somebody else was faster.
 * @throws {OAuthError} `OAUTH_GRANT_LOST` when there is nothing to refresh with.
 */
export async function takeLease(
  context: RefreshContext,
  account: AccountRecord,
): Promise<AccountRecord | null> {
  if (account.refreshToken === null) {
    throw new OAuthError("OAUTH_GRANT_LOST", "The access has expired and cannot be renewed");
  }
  const end = context.settings.now() + LEASE;
  const refreshToken = `lease ${end} ${withoutLease(account.refreshToken)}`;
  return await swap(context, account, { ...tokensOf(account), refreshToken });
}

async function askProvider(
  { client, server, settings }: LeaseContext,
  refreshToken: string,
): Promise<OAuthTokens> {
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  const reply = await postForm(server.token, body, { client, server, caller: settings });
  return readTokens(reply, settings.now());
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
export async function refreshTokens(
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
    tokens = await askProvider(context, refreshToken);
  } catch (error) {
    const isDead = error instanceof OAuthError && DEAD_GRANTS.has(error.reason ?? "");
    const left = isDead ? { ...nothing, scope } : { ...tokensOf(account), refreshToken: sealed };
    await swap(context, account, left);
    if (!isDead) throw error;
    throw new OAuthError("OAUTH_GRANT_LOST", "The provider does not renew the access any more");
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
