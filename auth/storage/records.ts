/**
 * Records of users, sessions and accounts, as a storage is given them and gives them back.
 *
 * @module
 */

import type { Account } from "../types/callbacks.ts";
import type { DeviceBinding } from "../types/session.ts";
import type { User } from "../types/user.ts";

/** A user to be stored. Times are milliseconds since 1970. */
export interface UserRecord {
  /**
   * The user as the application sees it. Read back, `email`, `name`, `image` and `emailVerified` are null where there is
   * none; `role` and an empty `roles` are left out.
   */
  user: User;
  /**
   * Identity of the mailbox, see `parseEmailAddress()`: unique, and the key by which users are
   * found. Null without an address, and for an address that a provider reported without proving it.
   */
  emailIdentity: string | null;
  /**
   * Now: what the columns for times are filled with. Of a sign-in it is when that began, before anything of the user
   * was read: an address that has changed since is not replaced by the one of before.
   */
  at: number;
}

/** A user as stored by a sign-in. */
export interface SavedUser {
  /** The user as stored, with the fields that the sign-in left alone. */
  user: User;
  /** True when this very operation made the user. */
  created: boolean;
}

/** One session as it is stored. Times are milliseconds since 1970. */
export interface SessionRecord {
  /** Public name of the session. It opens nothing. */
  id: string;
  /** The id of the user who is signed in. */
  userId: string;
  /** Start of the session: the sign-in. */
  createdAt: number;
  /** Last moment when its owner proved who they are. */
  authenticatedAt: number;
  /** Last renewal. */
  refreshedAt: number;
  /** Expiry, unless it is renewed before. */
  expiresAt: number;
  /** Id of the tenant that it was made in; left out when it was in none. */
  tenantId?: string | undefined;
  /** Binding to a device, where `deviceBound()` has read it. Default: it was not read. */
  device?: DeviceBinding | undefined;
}

/** One session in a list, for its owner to recognize. */
export interface ListedSession extends SessionRecord {
  /** User agent of the browser at sign-in; null when unknown. */
  userAgent: string | null;
}

/** A session to be stored. */
export interface NewSessionRecord extends ListedSession {
  /** SHA-256 of the token in the cookie, base64url. The token itself is stored nowhere. */
  tokenHash: string;
}

/** A session with its owner. */
export interface StoredSession {
  /** The session as stored, whether it has ended or not. */
  session: SessionRecord;
  /** Its owner, who is not disabled. */
  user: User;
}

/** Changes that are made together with a sign-in, or not at all. */
export interface SaveUserOptions {
  /**
   * The account that the user signs in with, linked as {@linkcode LinkedAccountStorage.linkAccount} does.
   *
   * @throws {AccountTakenError} When it is another user's. Nothing is stored.
   */
  account?: AccountRecord;
  /**
   * The passkey that the user makes, as `preparePasskey()` of the storage gives it; or the one that the user signs in
   * with, as `preparePasskeyUse()` does.
   *
   * @throws {AccountTakenError} When its id is taken or the user has fifty, also of several at once; or when the one
   * that is used is not the user's any more. Nothing is stored.
   */
  passkey?: PreparedPasskey;
  /**
   * For credentials: the time from which they counted when what they were checked against was read, see
   * {@linkcode FoundPassword.credentialsAfter}; of an application's own, when their check began, in milliseconds since
   * 1970. Such a sign-in is refused when the user's credentials count only from a later moment on, see `endEverything()`.
   */
  proofBegunAt?: number;
  /**
   * True when the user was read as one whose mailbox is not proved. Such a sign-in is refused when it has been
   * proved meanwhile, see {@linkcode AccountStorage.proveEmail}. Default false.
   */
  unproved?: boolean;
  /** True when the user was read: one who is gone is not made anew. Default false. */
  existing?: boolean;
  /**
   * True when `account` was read as the user's. When it has been unlinked meanwhile, it is not linked again: that is
   * an `AccountTakenError`, and nothing is stored. Default false: it is linked.
   */
  linked?: boolean | undefined;
  /**
   * The mailbox by which the user was found, see `parseEmailAddress()`. Such a sign-in is refused when it is not the
   * user's any more. Default: none.
   */
  mailbox?: string | undefined;
}

/** Changes that are made together with the insertion of a session. */
export interface InsertSessionOptions extends SaveUserOptions {
  /**
   * The owner as the sign-in method describes it, stored as {@linkcode SavedUserStorage.saveUser} does: inserted when there is
   * no user with the id, else written over. That several first sign-ins insert one id at once is no `UserExistsError`:
   * whoever comes second begins again, and finds the user.
   */
  owner?: UserRecord | undefined;
  /**
   * Token hash of the session that the new one takes the place of, whoever's it is: it ends when the new one is stored,
   * and stays when that is refused. Nothing of it is taken over. That there is none refuses nothing. Default: none.
   */
  replaces?: string | undefined;
}

/** Options for renewing a session. Times are milliseconds since 1970. */
export interface RenewSessionOptions {
  /** The `refreshedAt` that was read; another value in the meantime means that somebody was faster. */
  from: number;
  /** Now: the new `refreshedAt`. A session that has ended by then stays ended. */
  at: number;
  /** The end that the session has from now on. */
  expiresAt: number;
}

/** Options for ending the sessions of a user. Default: all of them end. */
export interface DeleteSessionsOptions {
  /** The public id of one that goes on. Default: none does. */
  exceptId?: string | undefined;
  /** Id of the tenant that they were made in; null for any. Default null. */
  tenantId?: string | null | undefined;
}

/** Options for listing sessions. */
export interface ListSessionsOptions {
  /** Now, in milliseconds since 1970: sessions that have ended by then are left out. */
  now: number;
  /** Maximum number of sessions, most recently renewed first. */
  limit: number;
}

/** The tokens of an account, sealed: the storage does not know what is in them. */
export interface AccountTokens {
  /** Access token of the provider; null for none. */
  accessToken: string | null;
  /** Refresh token of the provider; null for none. */
  refreshToken: string | null;
  /** Expiry of the access token, in milliseconds since 1970; null when the provider named none. */
  expiresAt: number | null;
  /** Type of the access token, such as "bearer". */
  tokenType: string | null;
  /** Scope of the access token. */
  scope: string | null;
}

/** An identity at a provider, and whose it is. Provider and id at the provider are its key. */
export interface AccountRecord extends AccountTokens {
  /** Id of the provider. */
  provider: string;
  /** Id of the user at the provider. Two providers may have the same id for different people. */
  providerAccountId: string;
  /** Id of the user who signs in with it. */
  userId: string;
  /** The way to sign in. */
  type: Account["type"];
  /** Time of the linking, in milliseconds since 1970. */
  createdAt: number;
  /** Time of the last write; of a new one `createdAt`. It grows with every change of the tokens. */
  updatedAt: number;
  /** The address as the provider said it last, believed or not; null for none. Nobody is found by it. */
  email: string | null;
}

/** A passkey that a storage has made ready to be stored together with a sign-in. */
export interface PreparedPasskey {
  /** Of whatever shape that storage wants. */
  readonly prepared: unknown;
}
