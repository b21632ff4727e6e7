import type { User } from "../users/user.ts";
import type { SqlStatement } from "./sql_database.ts";

/** A user to be stored. Times are milliseconds since 1970. */
export interface UserRecord {
  /** The user as the application sees it. */
  user: User;
  /** What identifies the mailbox, see `parseEmailAddress()`; null without an address. */
  emailIdentity: string | null;
  /** When this is written. */
  at: number;
}

/** One session as it is stored. Times are milliseconds since 1970. */
export interface SessionRecord {
  /** Public name of the session. It opens nothing. */
  id: string;
  /** Whose it is. */
  userId: string;
  /** When it began. */
  createdAt: number;
  /** When its owner last proved who they are. */
  authenticatedAt: number;
  /** When its end was last moved. */
  refreshedAt: number;
  /** When it ends. */
  expiresAt: number;
}

/** A session to be stored. */
export interface NewSessionRecord extends SessionRecord {
  /** SHA-256 of the token in the cookie, base64url. The token itself is stored nowhere. */
  tokenHash: string;
  /** The browser's name, for a list of sessions; null when unknown. */
  userAgent: string | null;
}

/** A session with its owner. */
export interface StoredSession {
  /** The session. */
  session: SessionRecord;
  /** Its owner, who is not disabled. */
  user: User;
}

/** What happens together with the insertion of a session. */
export interface InsertSessionOptions {
  /**
   * The owner as the sign-in method describes it. Inserted when the id is new. Of a known user only
   * those of e-mail, name and image that are not `undefined` are written, never roles.
   */
  owner?: UserRecord;
  /** Token hash of the session that the new one takes the place of. */
  replaces?: string;
}

/** What the insertion of a session gave. */
export interface InsertedSession {
  /** The owner as stored. */
  user: User;
  /** True when this very operation made the user. */
  created: boolean;
}

/** When a session is renewed. Times are milliseconds since 1970. */
export interface RenewSessionOptions {
  /** The `refreshedAt` that was read; another value in the meantime means that somebody was faster. */
  from: number;
  /** Now: the new `refreshedAt`. A session that has ended by then stays ended. */
  at: number;
  /** The new end. */
  expiresAt: number;
}

/**
 * The port to whatever keeps users and sessions. Each operation is atomic. Failures of the store are
 * a `StorageUnavailableError`, missing tables a `ConfigurationError`.
 */
export interface Storage {
  /**
   * Stores a new user.
   *
   * @param alongside Statements of the application that happen in the same transaction, after it.
   * @throws {UserExistsError} When the id or the mailbox is taken.
   */
  createUser(record: UserRecord, alongside?: SqlStatement[]): Promise<void>;
  /** The user, also a disabled one; null when there is none. */
  getUser(id: string): Promise<User | null>;
  /** Stores a session; null, and nothing stored, when the owner does not exist or is disabled. */
  insertSession(
    session: NewSessionRecord,
    options?: InsertSessionOptions,
  ): Promise<InsertedSession | null>;
  /** The session of this token with its owner; null when either is gone or the owner is disabled. */
  readSession(tokenHash: string): Promise<StoredSession | null>;
  /** Moves the end of a session, once; false when it is gone, has ended or was renewed meanwhile. */
  renewSession(id: string, options: RenewSessionOptions): Promise<boolean>;
  /** Ends the session of this token; false when there was none. */
  deleteSession(tokenHash: string): Promise<boolean>;
  /** Removes at most `limit` sessions that ended before `now`; returns how many. */
  sweep(now: number, limit: number): Promise<number>;
}
