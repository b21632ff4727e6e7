/** One session of the strategy 'jwt', as a revocation store is asked about it. */
export interface RevocableSession {
  /** The `jti` of its tokens, which it keeps however often it is renewed. */
  id: string;
  /** The user whose session it is, for `revokeUser()`. */
  userId: string;
  /** When it began: the sign-in, in milliseconds since 1970. */
  startedAt: number;
}

/** What ends the sessions of a user. Times are milliseconds since 1970. */
export interface RevokeUserOptions {
  /** Sessions that began before this moment are over. A later one that is stored already stands. */
  before: number;
  /** When this can be forgotten: by then every token that it concerns has expired. */
  until: number;
  /**
   * The one session that goes on, unless it is over already. The session that an earlier call has spared
   * does not.
   */
  except?: Omit<RevocableSession, "userId">;
}

/**
 * Where a session of the strategy 'jwt' is ended before its time: a token is good until it expires
 * unless somebody remembers that it is not. It is asked once in every request that carries a token.
 * Each operation is atomic; failures are a `StorageUnavailableError`.
 */
export interface RevocationStore {
  /** Ends one session. It can be forgotten after `until`, in milliseconds since 1970. */
  revoke(sessionId: string, until: number): Promise<void>;
  /** Ends the sessions of a user. */
  revokeUser(userId: string, options: RevokeUserOptions): Promise<void>;
  /** Whether a session was ended, by itself or with all of its user's. One lookup. */
  isRevoked(session: RevocableSession): Promise<boolean>;
  /** The `before` of the user, from which new sessions begin at the earliest; 0 when there is none. */
  validFrom(userId: string): Promise<number>;
}
