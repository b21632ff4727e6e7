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
  /** Who signs in with it here. */
  userId: string;
  /** The way to sign in. */
  type: Account["type"];
  /** When it was linked, in milliseconds since 1970. */
  createdAt: number;
  /** When it was last written; of a new one `createdAt`. It grows with every change of the tokens. */
  updatedAt: number;
  /** The address as the provider said it last, believed or not; null for none. Nobody is found by it. */
  email: string | null;
}

/** Which mailbox is proved. */
export interface ProveEmailOptions {
  /**
   * The mailbox, see `parseEmailAddress()`. The user must have this one, or have kept its address without the
   * identity while nobody else has that: with the proof the user has it.
   */
  emailIdentity: string;
  /** Now, in milliseconds since 1970. */
  at: number;
  /** True when what is there is known to be the owner's: nothing is removed. Default false. */
  keepOwn?: boolean;
}

/** The part of the port that a sign-in with an account at a provider needs, or with a mailbox. */
export interface AccountStorage {
  /** The account; null when there is none. */
  findAccount(provider: string, providerAccountId: string): Promise<AccountRecord | null>;
  /** The user with this mailbox, see `parseEmailAddress()`; null when there is none, and for a disabled one. */
  getUserByEmail(emailIdentity: string): Promise<User | null>;
  /**
   * Stores that a user has proved their mailbox. The first proof also removes whatever somebody who never
   * proved it may have left to come back by: sessions, accounts, passkeys, known browsers, memberships and
   * secrets of the user, and the passwords of before count no longer.
   *
   * @returns "already" when it was proved, "absent" when there is no such user with this mailbox, or a disabled one.
   */
  proveEmail(userId: string, options: ProveEmailOptions): Promise<"proved" | "already" | "absent">;
}
