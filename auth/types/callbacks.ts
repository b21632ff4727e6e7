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
   * Who the user is there: never a name that could pass to somebody else. By e-mail it is the
   * mailbox.
   */
  providerAccountId: string;
  /** By what kind of proof the user signs in. */
  type: "oauth" | "oidc" | "email" | "credentials" | "webauthn";
  /** What the provider gave to act for the user. */
  access_token?: string;
  /** What a new access token is fetched with. */
  refresh_token?: string;
  /** When the access token expires, in seconds since 1970. */
  expires_at?: number;
  /** How the access token is used, such as "bearer". */
  token_type?: string;
  /** What the access token may do. */
  scope?: string;
}

/** What a provider says about a user, as it says it. */
export type Profile = Record<string, unknown>;

/**
 * What the `signIn` callback is asked.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface SignInParams<AppUser extends User = User> {
  /** Who wants to sign in: as stored, and of a new user as the provider says it. `emailVerified` says what is proved. */
  user: AppUser;
  /** With which identity; null when there is none. */
  account: Account | null;
  /** What the provider says. */
  profile?: Profile;
  /** For a sign-in by e-mail. */
  email?: {
    /** True while the link is only asked for. */
    verificationRequest?: boolean;
  };
  /** What was typed, for a sign-in with credentials. */
  credentials?: Record<string, string>;
}

/** What the `redirect` callback is asked. */
export interface RedirectParams {
  /** Where the visitor asks to go, as it was asked for; without a wish, the start page. */
  url: string;
  /** The origin of the application. */
  baseUrl: string;
}

/**
 * What the `session` callback is asked.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface SessionParams<AppUser extends User = User> {
  /** The session as it is without the callback. */
  session: Session & { user: AppUser };
  /** Its user, as stored or as the token says. */
  user: AppUser;
  /** What the token says, with the strategy 'jwt'. */
  token?: JWT;
}

/**
 * What the `jwt` callback is asked.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 */
export interface JwtParams<AppUser extends User = User> {
  /** The claims as they are without the callback. */
  token: JWT;
  /** The user, where it has just been read. */
  user?: AppUser;
  /** With which identity the user signs in. */
  account?: Account;
  /** What the provider says. */
  profile?: Profile;
  /**
   * Why the token is made: a sign-in, a first sign-in, or "update", which is a renewal or `POST
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
