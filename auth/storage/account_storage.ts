import type { User } from "../users/user.ts";
import type { AccountRecord } from "./storage.ts";

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
