import type { User } from "../users/user.ts";

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
