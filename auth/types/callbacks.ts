// deno-lint-ignore-file camelcase -- the names of OAuth 2.0 (RFC 6749, 5.1)

/**
 * Callbacks by which an application decides.
 *
 * @module
 */

import type { JWT, Session } from "./session.ts";
import type { User } from "./user.ts";

/** A value, or a promise of one. */
export type Awaitable<T> = T | Promise<T>;

/** The identity with which a user signs in: an account at a provider, or a way of this library. */
export interface Account {
  /** Id of the provider, such as 'github', 'credentials' or 'email'. */
  provider: string;
  /**
   * Id of the user at the provider: never a name that could pass to another person. By email it is
   * the mailbox.
   */
  providerAccountId: string;
  /** Kind of proof by which the user signs in. */
  type: "oauth" | "oidc" | "email" | "credentials" | "webauthn";
  /** Access token for the provider's API. */
  access_token?: string;
  /** Refresh token. */
  refresh_token?: string;
  /** Expiry of the access token, in seconds since 1970. */
  expires_at?: number;
  /** Type of the access token, such as "bearer". */
  token_type?: string;
  /** Scope of the access token. */
  scope?: string;
}

/** Claims about a user in the provider's own format. */
export type Profile = Record<string, unknown>;

/**
 * Argument of the `signIn` callback.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface SignInParams<AppUser extends User = User> {
  /**
   * User who signs in: as stored, or for a new user as the provider describes them. `emailVerified`
   * is set when the address is verified.
   */
  user: AppUser;
  /** The identity; null when there is none. */
  account: Account | null;
  /** Claims from the provider. */
  profile?: Profile;
  /** For a sign-in by email. */
  email?: {
    /** True while the link is only asked for. */
    verificationRequest?: boolean;
  };
  /** Submitted values, for a sign-in with credentials. */
  credentials?: Record<string, string>;
}

/** Argument of the `redirect` callback. */
export interface RedirectParams {
  /** Requested destination, unchecked; the start page when none was requested. */
  url: string;
  /** The origin of the application. */
  baseUrl: string;
}

/**
 * Argument of the `session` callback.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface SessionParams<AppUser extends User = User> {
  /** The session as it is without the callback. */
  session: Session & { user: AppUser };
  /** Its user, as stored or as the token says. */
  user: AppUser;
  /** Claims of the token, with the strategy 'jwt'. */
  token?: JWT;
}

/**
 * Argument of the `jwt` callback.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface JwtParams<AppUser extends User = User> {
  /** The claims as they are without the callback. */
  token: JWT;
  /** The user, where it has just been read. */
  user?: AppUser;
  /** The identity with which the user signs in. */
  account?: Account;
  /** Claims from the provider. */
  profile?: Profile;
  /**
   * Reason for the token: a sign-in, a first sign-in, or "update", which is a renewal or `POST
   * /auth/session`.
   */
  trigger?: "signIn" | "signUp" | "update";
}

/**
 * The application's say in what the library does.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface AuthCallbacks<AppUser extends User = User> {
  /**
   * Decides who gets in: by `verifiedEmail(user)`, never by `user.email`, which nobody may have proved.
   * True lets a user in, false refuses, and an address sends them elsewhere without letting them in.
   * It is asked when the credentials have turned out right and before anything is stored. What it throws
   * refuses too.
   */
  signIn?(params: SignInParams<AppUser>): Awaitable<boolean | string>;
  /**
   * Chooses where a visitor goes after signing in or out. It is asked once, when the redirect happens.
   * The result must be within the application or a trusted origin all the same.
   */
  redirect?(params: RedirectParams): Awaitable<string>;
  /** Shapes the session that the application sees. */
  session?(params: SessionParams<AppUser>): Awaitable<Session>;
  /** Shapes the claims of a token; of the strategy 'jwt' only. */
  jwt?(params: JwtParams<AppUser>): Awaitable<JWT>;
}
