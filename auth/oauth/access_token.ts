import { ConfigurationError } from "../errors/configuration_error.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import { UnauthenticatedError } from "../errors/access_errors.ts";
import { currentRequest } from "../request/request_store.ts";
import { linkedAccountsOf } from "../storage/linked_accounts_of.ts";
import { findClient } from "./oauth_method.ts";
import { openToken } from "./sealed_tokens.ts";
import { leaseEnd, type RefreshContext, refreshTokens, takeLease } from "./refresh_tokens.ts";
import type { AccountRecord } from "../storage/storage.ts";

/** Of which account an access token is asked for. */
export interface AccessTokenOptions {
  /** Who the user is at the provider. Default: the account there that was linked first. */
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
  const accounts = await linkedAccountsOf(settings.storage).listAccounts(userId);
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
 * isolates, one asks the provider: a refresh token that is used twice can end the user's consent.
 *
 * @param provider Id of the provider.
 * @param options `providerAccountId`: which of the user's accounts there. Default: the one linked
 * first.
 * @throws {UnauthenticatedError} When nobody is signed in.
 * @throws {OAuthError} `OAUTH_GRANT_LOST` when there is no account there, or no consent any more: the user must sign
 * in at the provider again. `OAUTH_UNAVAILABLE` when the provider does not answer: try again later.
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
      "Cannot give access tokens: they are kept only with providerTokens: sealedTokens, and with `secret`",
      { field: settings.providerTokens === null ? "providerTokens" : "secret" },
    );
  }
  const state = await auth.load();
  if (state.status !== "valid") throw new UnauthenticatedError();
  const userId = state.session.user.id;
  const context = { client, settings };
  let pause = FIRST_PAUSE;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const account = await findAccount(context, userId, options);
    if (isFresh(account, settings.now())) return await openAccessToken(context, account);
    if (leaseEnd(account) <= settings.now()) {
      const server = await client.server(settings);
      const leased = await takeLease(context, account);
      if (leased !== null) return await refreshTokens({ ...context, server }, leased);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
  throw new OAuthError(
    "OAUTH_UNAVAILABLE",
    "Somebody else refreshes the token and does not finish",
  );
}
