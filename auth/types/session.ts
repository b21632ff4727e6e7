/**
 * A session, its state in a request, and the port to ended ones.
 *
 * @module
 */

import type { User } from "./user.ts";

/** A signed-in user and when that ends. */
export interface Session {
  /** Who is signed in, as stored; with the strategy 'jwt' as of the last renewal. */
  user: User;
  /** When the session ends unless it is renewed before. */
  expires: Date;
}

/**
 * What a token of the session strategy 'jwt' says. It is signed, not encrypted: whoever has the cookie
 * can read it, so nothing belongs here that its owner must not see.
 *
 * Besides these and the claims of the application it holds `aud`, the name of the session cookie,
 * `auth_time`, the moment of the sign-in in seconds, `tenant`, the id of the tenant of the sign-in,
 * `moved_host`, when it was exchanged for a token in a cookie without the prefix `__Host-`, and of the user
 * what is known of `email`, `name`, `image`, `emailVerified` (milliseconds), `role` and `roles`.
 */
export interface JWT {
  /** Id of the user (RFC 7519, 4.1.2). */
  sub: string;
  /** When this token was made, in seconds since 1970 (RFC 7519, 4.1.6). */
  iat: number;
  /** When it expires, in seconds since 1970. */
  exp: number;
  /** Id of the session. A renewed token keeps it. */
  jti: string;
  /** Claims of the application, and the library's others. */
  [claim: string]: unknown;
}

/** A session that holds. */
export interface ValidSession {
  status: "valid";
  /** The public name of the session: of its row, or the `jti` of its token. It opens nothing. */
  id: string;
  /** When it began: the sign-in, in milliseconds since 1970. */
  startedAt: number;
  /** When its owner last proved who they are, in milliseconds since 1970. */
  authenticatedAt: number;
  /**
   * Whether no sibling host can have planted it: its cookie has the prefix `__Host-`, or comes from plain
   * http on a loopback host, where browsers know no such cookie.
   */
  hostOnly: boolean;
  /** Id of the tenant that it was made in; left out when it was in none. */
  tenantId?: string;
  /** The session as the application sees it. */
  session: Session;
  /** For the cookie, and for nothing else. */
  token: string;
  /** Whether this request has moved the session's end, so that the cookie is to be sent again. */
  renewed: boolean;
  /** What the token says; null where sessions live in a database. */
  claims: JWT | null;
}

/** What is known about the session of a request. */
export type SessionState =
  /** No token came. */
  | { status: "none" }
  | ValidSession
  /** There was a session and its time is over. */
  | { status: "expired" }
  /** A token came that opens nothing: unknown, malformed, ended, or two that contradict each other. */
  | { status: "invalid" };

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
