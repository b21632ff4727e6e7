import type { Account } from "../callbacks/callbacks.ts";
import { readMade } from "../config/check.ts";
import type { AccountTokens } from "../storage/storage.ts";
import type { AccountKey, KeepTokens, OAuthTokens } from "./contracts.ts";

/**
 * How the tokens that providers give are kept for `getAccessToken()`: {@linkcode sealedTokens}.
 */
export interface ProviderTokens {
  /** Tells it from other objects. */
  readonly kind: "provider-tokens";
  /** What it is made of, for the library. */
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

/** What the database keeps where nobody asks for the tokens: what they were for. */
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
