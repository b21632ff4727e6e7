/**
 * The contract of session strategies, and the token of a request.
 *
 * @module
 */

import type { CookieReading } from "../lib/cookie.ts";
import type { Logger } from "../lib/logger.ts";
import type { SaveUserOptions, SessionRecord, Storage, UserRecord } from "../storage/storage.ts";
import type { Account, AuthCallbacks, Profile } from "../types/callbacks.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type { SessionCookie } from "./cookie_options.ts";

/** How long sessions last, in milliseconds. */
export interface SessionTimes {
  /** From the last renewal to the end. */
  maxAge: number;
  /** Between renewals. */
  updateAge: number;
  /** From sign-in to the end; Infinity when there is none. */
  absoluteMaxAge: number;
}

/** What a strategy works with. */
export interface StrategyParts {
  /** How long sessions last. */
  times: SessionTimes;
  /** The name of the session cookie. */
  cookieName: string;
  /** Whether no sibling host can plant that cookie. */
  hostOnly: boolean;
  /** Sessions from before this moment may have come without the prefix. */
  hostOnlySince: number;
  /** The secrets, the first of which signs. */
  secrets: readonly string[];
  /** Opens users and sessions, always the same; null without a database. */
  storage: (() => Storage) | null;
  /** Where sessions are ended before their time; null when nowhere. */
  revocation: unknown;
  /** The application's say. */
  callbacks: AuthCallbacks;
  /** The clock. */
  now: () => number;
  /** Where failures are reported that end nothing. */
  logger: Logger;
}

/** Where sessions live, as a value: an application that does not import it does not carry its code. */
export interface SessionStrategyDefinition {
  /** Tells it from other values. */
  readonly kind: "session-strategy";
  /**
   * Makes the strategy, which only the library does.
   *
   * @internal
   * @throws {ConfigurationError} When something that it needs is not configured.
   */
  create(parts: StrategyParts): SessionStrategy;
}

/** How a session is read. */
export interface ReadOptions {
  /** Whether its end may be moved. */
  renew: boolean;
  /** Where the token came from, which says whether its client can be given another one. */
  source: TokenSource;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

/** For whom a session is made, and in place of what. */
export interface MintOptions {
  /** Its owner. */
  userId: string;
  /** The owner as the sign-in method describes it, to be stored in the same transaction. */
  owner?: UserRecord | undefined;
  /** What is stored together with the owner, and what it depends on. */
  save?: SaveUserOptions | undefined;
  /** Id of the tenant in which the session is made. */
  tenantId?: string | undefined;
  /** The account at a provider with which the owner signs in, for the `jwt` callback. */
  account?: Account;
  /** What the provider says about the owner, for the `jwt` callback. */
  profile?: Profile | undefined;
  /** The token of the session that the browser has now. It ends. */
  replaces?: string | undefined;
  /** The browser's name, or null. */
  userAgent: string | null;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

/** A session that has just begun. */
export interface MintedSession extends ValidSession {
  /** Whether this sign-in made the user. */
  created: boolean;
  /** Milliseconds until the session ends. */
  lifetime: number;
  /** The user's address, whatever the application makes of the session. */
  email?: string | null | undefined;
}

/** Which of a user's sessions end. */
export interface EndAllOptions {
  /** The one that goes on. */
  except?: Pick<ValidSession, "id" | "startedAt">;
  /** Those that were made in this tenant, where sessions can be told apart; else all. Default: all. */
  tenantId?: string;
}

/**
 * Where sessions live. Chosen once, when the options are compiled; nothing else of the library knows
 * which it is.
 */
export interface SessionStrategy {
  /** Its name in the configuration. */
  readonly name: "database" | "jwt";
  /** In which cookies its tokens are. */
  readonly cookies: TokenCookies;
  /** Whether sessions can be ended before their time. */
  readonly revocable: boolean;
  /**
   * Finds out whose session a token opens. At once where nothing has to be asked.
   *
   * @throws {StorageUnavailableError} When what must be asked does not answer. That is never "signed in".
   */
  read(token: string, options: ReadOptions): SessionState | Promise<SessionState>;
  /**
   * Makes a session, always under a new token.
   *
   * @throws {UserUnavailableError} When the owner does not exist or is disabled.
   */
  begin(options: MintOptions): Promise<MintedSession>;
  /** Reads what is known about the user anew and moves the session's end. */
  update(token: string, options: ReadOptions): SessionState | Promise<SessionState>;
  /**
   * Gives a session that came without the prefix another token. The one before opens nothing soon after, but
   * still what the browser has sent at the same time. The same state when another request is at it.
   */
  exchange(state: ValidSession, userAgent: string | null): Promise<SessionState>;
  /** Ends the session that a token opens. */
  end(token: string): Promise<void>;
  /**
   * Ends the sessions of a user.
   *
   * @throws {ConfigurationError} When sessions are not revocable.
   */
  endAll(userId: string, options?: EndAllOptions): Promise<void>;
  /** When a stored session ends, under the present configuration; null where sessions are not stored. */
  readonly endOf: ((session: SessionRecord) => number) | null;
}

/**
 * The token that a request brings. `before`: it came in a cookie that a sibling host can plant, and only a
 * session that began before this moment counts.
 */
export type PresentedToken =
  | { found: "none" }
  | { found: "one"; token: string; source: TokenSource; before?: number }
  /** Several that contradict each other, or a header that is none. */
  | { found: "unclear"; source: TokenSource; tokens: readonly string[]; before?: number };

/** Where a token came from. Only what came in a cookie is answered with a cookie. */
export type TokenSource = "cookie" | "bearer";

/** The session cookie, and how tokens are in it. */
export interface StrategyCookie extends SessionCookie {
  /** In which cookies a token is. */
  tokens: TokenCookies;
  /** When cookies without the prefix are not read any more. */
  until: number;
}

/** What a Cookie header holds under a name and under the names of its chunks. */
export interface CookiesOfToken {
  /** The token in them. */
  reading: CookieReading;
  /** The names that the browser sent. */
  names: string[];
}

/** In which cookies a token is. */
export interface TokenCookies {
  /** Reads it. */
  read(header: string | null, name: string): CookiesOfToken;
  /** The cookies that hold it. */
  split(name: string, token: string): [name: string, value: string][];
  /** The names of those that another request of the browser may have set for it at the same time. */
  alsoPossible(name: string, token: string): string[];
}
