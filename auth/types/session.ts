/**
 * A session, its state in a request, and the port to ended ones.
 *
 * @module
 */

import type { AuthError } from "../errors.ts";
import type { User } from "./user.ts";

/** A signed-in user and when that ends. */
export interface Session {
  /** User who is signed in, as stored; with the strategy 'jwt' as of the last renewal. */
  user: User;
  /** Expiry of the session unless it is renewed before. */
  expires: Date;
  /**
   * True for a session that is bound to its device, so that a copy of its cookies soon opens nothing; false for one whose
   * browser has not bound it. Left out without `session.deviceBound`.
   */
  bound?: boolean;
  /** Administrator who acts for the user by `impersonate()`; left out where users act themselves. */
  actor?: { id: string; name: string };
}

/**
 * Claims of a token of the session strategy 'jwt'. It is signed, not encrypted: anyone who has the
 * cookie can read it, so put in nothing that its owner must not see.
 *
 * Besides these and the claims of the application it holds `aud`, the name of the session cookie,
 * `auth_time`, the moment of the sign-in in seconds, `tenant`, the id of the tenant of the sign-in,
 * `moved_host`, when it was exchanged for a token in a cookie without the prefix `__Host-`, `replaced_jti`, the id of
 * the session from before its second factor was proved as long as that is still to be ended, and of the user what is known of `email`, `name`, `image`, `emailVerified` (milliseconds), `role` and `roles`.
 */
export interface JWT {
  /** Id of the user (RFC 7519, 4.1.2). */
  sub: string;
  /** Time of issue, in seconds since 1970 (RFC 7519, 4.1.6). */
  iat: number;
  /** Expiry, in seconds since 1970. */
  exp: number;
  /** Id of the session. A renewed token keeps it; one that has proved a second factor anew has another. */
  jti: string;
  /** Claims of the application, and the library's others. */
  [claim: string]: unknown;
}

/** Binding of a session to a device, as it was read with the session. */
export interface DeviceBinding {
  /** The binding as the storage has it; null for none. */
  text: string | null;
  /** Last renewal of the session, in milliseconds since 1970. */
  refreshedAt: number;
}

/** A session that holds. */
export interface ValidSession {
  status: "valid";
  /** The public name of the session: of its row, or the `jti` of its token. It opens nothing. */
  id: string;
  /** Start of the session, which is the sign-in, in milliseconds since 1970. */
  startedAt: number;
  /** Time of the owner's last authentication, in milliseconds since 1970. */
  authenticatedAt: number;
  /**
   * True when no sibling host can have planted the session: its cookie has the prefix `__Host-`, or
   * comes over plain http from a loopback host, where browsers know no such cookie.
   */
  hostOnly: boolean;
  /** Id of the tenant that it was made in; left out when it was in none. */
  tenantId?: string;
  /** The session as the application sees it. */
  session: Session;
  /** For the cookie, and for nothing else. */
  token: string;
  /** True when this request moved the expiry, so that the cookie must be sent again. */
  renewed: boolean;
  /** Claims of the token; null where sessions live in a database. */
  claims: JWT | null;
  /** Binding to a device, where it was read with the session. */
  device?: DeviceBinding | undefined;
  /** Session that a second factor was proved in, where an administrator acts for the user: theirs. Default: this one. */
  provedIn?: { sessionId: string; userId: string };
}

/**
 * Makes the error for a session without the second factor that a tenant requires.
 *
 * @param leads True for one that leads to the page that asks for it.
 */
export type Refusal = (leads: boolean) => AuthError;

/** State of a request's session. */
export type SessionState =
  /** No token came. */
  | {
    status: "none";
    /** True when one came of a session that is bound to a device, without the proof of the device. Default false. */
    unbound?: boolean;
    /**
     * Set when one came of a session that holds, but not in the tenant of this request, of which its user is no member:
     * "refused" where no sign-in makes a session of the tenant, so that asking for one would lead in a circle; and where the
     * tenant requires a second factor that the session has not proved.
     */
    outsider?: "asked" | "refused";
    /** Refusal of who is not admitted for want of a second factor. Default: that of who is no member. */
    refusal?: Refusal;
  }
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
  /** Start of the session, which is the sign-in, in milliseconds since 1970. */
  startedAt: number;
}

/** Selection of a user's sessions to revoke. Times are milliseconds since 1970. */
export interface RevokeUserOptions {
  /** Sessions that began before this moment are over. A later one that is stored already stands. */
  before: number;
  /**
   * Time after which the entry can be dropped: by then every token that it concerns has expired.
   */
  until: number;
  /**
   * The one session that goes on, unless it is over already. The session that an earlier call has spared
   * does not.
   */
  except?: Omit<RevocableSession, "userId">;
}

/**
 * Revocation store for sessions of the strategy 'jwt', whose tokens are valid until they expire
 * unless their revocation is stored. It is queried once in every request with a token. Each
 * operation is atomic; failures are a `StorageUnavailableError`. What was acknowledged must not be forgotten, not at a
 * failover either: a store that loses its last moments signs people in again who have signed out. One that may forget bounds
 * it: `isRevoked()` is true for each session that began longer ago than so many seconds, and it has no `claim()`.
 */
export interface RevocationStore {
  /** Ends one session. It can be forgotten after `until`, in milliseconds since 1970. */
  revoke(sessionId: string, until: number): Promise<void>;
  /** Ends the sessions of a user. */
  revokeUser(userId: string, options: RevokeUserOptions): Promise<void>;
  /** Tests if a session was revoked, by itself or with all of its user's. One lookup. */
  isRevoked(session: RevocableSession): Promise<boolean>;
  /** The `before` of the user, from which new sessions begin at the earliest; 0 when there is none. */
  validFrom(userId: string): Promise<number>;
  /**
   * Stores an id as `revoke()` does, and says if this call was the first: of any number at once one is. Only
   * `deviceBoundJwt()` needs it. Default: the store cannot tell.
   */
  claim?(id: string, until: number): Promise<boolean>;
}
