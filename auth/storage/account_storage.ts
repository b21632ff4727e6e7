import type { Account } from "../callbacks/callbacks.ts";
import type { User } from "../users/user.ts";

/** The tokens of an account, sealed: the storage does not know what is in them. */
export interface AccountTokens {
  /** What the provider gave to act for the user; null for nothing. */
  accessToken: string | null;
  /** What a new access token is fetched with; null for nothing. */
  refreshToken: string | null;
  /** When the access token expires, in milliseconds since 1970; null when nobody says. */
  expiresAt: number | null;
  /** How the access token is used, such as "bearer". */
  tokenType: string | null;
  /** What the access token may do. */
  scope: string | null;
}

/** An identity at a provider, and whose it is. Provider and id at the provider are its key. */
export interface AccountRecord extends AccountTokens {
  /** Id of the provider. */
  provider: string;
  /** Who the user is there. Two providers may have the same id for different people. */
  providerAccountId: string;
  /** Whose it is here. */
  userId: string;
  /** The way to sign in. */
  type: Account["type"];
  /** When it was linked, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last written; of a new one `createdAt`. It grows with every change of the tokens. */
  updatedAt: number;
}

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

/** Which mailbox is proved. */
export interface ProveEmailOptions {
  /** The mailbox, see `parseEmailAddress()`. The user must have this one. */
  emailIdentity: string;
  /** Now, in milliseconds since 1970. */
  at: number;
  /** True when it is the very user who is signed in and proves it: nothing is removed. Default false. */
  keepOwn?: boolean;
}

/** The part of the port that keeps accounts at providers, and finds users by their mailbox. */
export interface AccountStorage {
  /** The account; null when there is none. */
  findAccount(provider: string, providerAccountId: string): Promise<AccountRecord | null>;
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
  /** The user with this mailbox, see `parseEmailAddress()`; null when there is none, and for a disabled one. */
  getUserByEmail(emailIdentity: string): Promise<User | null>;
  /**
   * Stores that a user has proved their mailbox. The first proof also removes whatever somebody who never
   * proved it may have left to come back by: sessions, accounts, passkeys and secrets of the user, and
   * the passwords of before count no longer.
   *
   * @returns "already" when it was proved, "absent" when there is no such user with this mailbox, or a disabled one.
   */
  proveEmail(userId: string, options: ProveEmailOptions): Promise<"proved" | "already" | "absent">;
}
