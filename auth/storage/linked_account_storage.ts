import type { AccountRecord, AccountTokens } from "./storage.ts";

/** What becomes of an account that is to be linked. */
export type LinkOutcome =
  /** It is the user's from now on. */
  | "linked"
  /** It was the user's already; its tokens are written. */
  | "updated"
  /** It is another user's. Nothing is written. */
  | "taken"
  /** The user does not exist or is disabled, or the options refuse. Nothing is written. */
  | "absent";

/** What a way in that is added to a user depends on. */
export interface AddWayOptions {
  /** True when the user was read as unproved, as in `SaveUserOptions`: refused when the user's mailbox has been proved meanwhile. Default false. */
  unproved?: boolean;
}

/** Whether the last way in may go. */
export interface RemoveWayOptions {
  /** True when the user has no way in but accounts and passkeys: the last of those stays. */
  lastWayIn: boolean;
}

/** The tokens after a refresh. */
export interface SwapTokensOptions extends AccountTokens {
  /** The `updatedAt` that was read; another value in the meantime means that somebody was faster. */
  from: number;
  /** Now, in milliseconds since 1970. */
  at: number;
}

/** The part of the port that keeps the accounts of somebody who is signed in. */
export interface LinkedAccountStorage {
  /**
   * Makes an account a user's. Of a known one of theirs the tokens are written, unless `accessToken` is
   * null; a refresh token that is null does not replace one.
   */
  linkAccount(account: AccountRecord, options?: AddWayOptions): Promise<LinkOutcome>;
  /** The accounts of a user, the one linked first first. */
  listAccounts(userId: string): Promise<AccountRecord[]>;
  /**
   * Removes an account of this user and of no other. With `lastWayIn` it is "last", and stays, when no
   * other account and no passkey remains, also when several are removed at once.
   */
  unlinkAccount(
    userId: string,
    provider: string,
    providerAccountId: string,
    options: RemoveWayOptions,
  ): Promise<"unlinked" | "absent" | "last">;
  /** Writes the tokens of a refresh, once; false when the account is gone or was written meanwhile. */
  swapAccountTokens(
    provider: string,
    providerAccountId: string,
    tokens: SwapTokensOptions,
  ): Promise<boolean>;
}
