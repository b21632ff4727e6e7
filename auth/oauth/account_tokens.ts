import type { Account } from "../callbacks/callbacks.ts";
import type { Settings } from "../config/settings.ts";
import { seal, unseal } from "../crypto/seal.ts";
import type { AccountRecord, AccountTokens } from "../storage/account_storage.ts";
import type { OAuthTokens } from "./read_tokens.ts";

/** Which account a token is of. */
export type AccountKey = Pick<AccountRecord, "provider" | "providerAccountId">;

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
  { accessToken, refreshToken, expiresAt, scope }: OAuthTokens,
  key: AccountKey,
  { secrets }: Settings,
): Promise<AccountTokens> {
  if (secrets.length === 0) {
    return { accessToken: null, refreshToken: null, expiresAt: null, tokenType: null, scope };
  }
  const options = { secrets, purpose: "provider-token", place: place(key) } as const;
  return {
    accessToken: await seal(accessToken, options),
    refreshToken: refreshToken === null ? null : await seal(refreshToken, options),
    expiresAt,
    tokenType: "bearer",
    scope,
  };
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
