/**
 * Provider tokens, sealed for the database.
 *
 * @module
 */

import type { Settings } from "../../core/contracts.ts";
import type { AccountKey, OAuthTokens } from "../../core/oauth_contracts.ts";
import { seal, unseal } from "../../lib/keys.ts";
import type { AccountTokens } from "../../storage/records.ts";
import { forgetTokens, type ProviderTokens } from "./client.ts";

function place({ provider, providerAccountId }: AccountKey): string {
  return `${provider}\n${providerAccountId}`;
}

/** Opens a token of an account; null for what was sealed for another account, or with another secret. */
export async function openToken(
  sealed: string,
  key: AccountKey,
  { secrets }: Settings,
): Promise<string | null> {
  return await unseal(sealed, { secrets, purpose: "provider-token", place: place(key) });
}

/** The tokens as the database keeps them: sealed, or without a secret not at all. */
export async function sealTokens(
  tokens: OAuthTokens,
  key: AccountKey,
  { secrets }: Settings,
): Promise<AccountTokens> {
  if (secrets.length === 0) return forgetTokens(tokens);
  const { accessToken, refreshToken, expiresAt, scope } = tokens;
  const options = { secrets, purpose: "provider-token", place: place(key) } as const;
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
