import type { JWT, Session } from "./session.ts";

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
