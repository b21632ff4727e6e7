/**
 * The contract of session strategies, and the token of a request.
 *
 * @module
 */

import type { CookieReading } from "../lib/cookie.ts";
import type { Logger } from "../lib/logger.ts";
import type { SaveUserOptions, SessionRecord, UserRecord } from "../storage/records.ts";
import type { Storage } from "../storage/storage.ts";
import type { Account, AuthCallbacks, Profile } from "../types/callbacks.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import type { SessionCookie } from "./cookie_options.ts";

/** Lifetimes of sessions, in milliseconds. */
export interface SessionTimes {
  /** From the last renewal to the end. */
  maxAge: number;
  /** Between renewals. */
  updateAge: number;
  /** From sign-in to the end; Infinity when there is none. */
  absoluteMaxAge: number;
}

/** Dependencies of a session strategy. */
export interface StrategyParts {
  /** Lifetimes of sessions. */
  times: SessionTimes;
  /** The name of the session cookie. */
  cookieName: string;
  /** True when no sibling host can plant the session cookie. */
  hostOnly: boolean;
  /** Sessions from before this moment may have come without the prefix. */
  hostOnlySince: number;
  /** The secrets, the first of which signs. A strategy that needs one and finds none may add it in development. */
  secrets: string[];
  /** Opens users and sessions, always the same; null without a database. */
  storage: (() => Storage) | null;
  /** Revocation store; null for none. */
  revocation: unknown;
  /** The application's say. */
  callbacks: AuthCallbacks;
  /** The clock. */
  now: () => number;
  /** Logger for failures that are not fatal. */
  logger: Logger;
}

/** Session strategy as a value, so that applications bundle only the one they import. */
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

/** Options for reading a session. */
export interface ReadOptions {
  /** Tells if the expiry may be moved. Asked where that is due and nowhere else. Default: it may not. */
  mayRenew?: (() => boolean) | undefined;
  /** Source of the token, which decides if its client can receive another one. */
  source: TokenSource;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

/** Owner of a new session, and the session that it replaces. */
export interface MintOptions {
  /** Its owner. */
  userId: string;
  /** The owner as the sign-in method describes it, to be stored in the same transaction. */
  owner?: UserRecord | undefined;
  /** Changes to store together with the owner, and their conditions. */
  save?: SaveUserOptions | undefined;
  /** Id of the tenant in which the session is made. */
  tenantId?: string | undefined;
  /** The account at a provider with which the owner signs in, for the `jwt` callback. */
  account?: Account;
  /** Claims from the provider about the owner, for the `jwt` callback. */
  profile?: Profile | undefined;
  /** The token of the session that the browser has now. It ends. */
  replaces?: string | undefined;
  /** The browser's name, or null. */
  userAgent: string | null;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

declare const gated: unique symbol;

/**
 * User for whom a session is made, once every gate has let it pass. Only `mintSession()` makes this type, so that a way in
 * which forgets the gates does not compile.
 */
export type GatedMint = MintOptions & { readonly [gated]: true };

/** A session that has just begun. */
export interface MintedSession extends ValidSession {
  /** True when this sign-in created the user. */
  created: boolean;
  /** Milliseconds until the session ends. */
  lifetime: number;
  /** The user's address, whatever the application makes of the session. */
  email?: string | null | undefined;
}

/** Selection of the user's sessions to end. */
export interface EndAllOptions {
  /** The one that goes on. */
  except?: Pick<ValidSession, "id" | "startedAt">;
  /** Those that were made in this tenant, where sessions can be told apart; else all. Default: all. */
  tenantId?: string;
}

/**
 * Session strategy. Chosen once, when the options are compiled; the rest of the library does not
 * know which one it is.
 */
export interface SessionStrategy {
  /** Its name in the configuration. */
  readonly name: "database" | "jwt";
  /** Reads and writes its tokens in cookies. */
  readonly cookies: TokenCookies;
  /** True when sessions can be revoked before they expire. */
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
  begin(options: GatedMint): Promise<MintedSession>;
  /** Reads the user again and moves the expiry of the session. */
  update(token: string, options: ReadOptions): SessionState | Promise<SessionState>;
  /**
   * Gives a session that came without the prefix another token. The one before opens nothing soon after, but
   * still what the browser has sent at the same time. The same state when another request is at it.
   */
  exchange(state: ValidSession, userAgent: string | null): Promise<SessionState>;
  /**
   * Gives a session another token and another id; null when its user is gone. The token of before opens what it has opened
   * until the new one is used some seconds later, and then nothing. Default: the storage replaces it, see `replaceToken()`
   * of second factors.
   *
   * @param as For a session that was read by a strategy of other tokens: the id that it is to have here, claims beside its
   * own, and the id of the session that ends with it. Nothing of before ends by the replacement itself. Default: an id of
   * its own.
   */
  replace?(
    state: ValidSession,
    as?: { id: string; claims: Record<string, unknown>; replaced?: string | undefined },
  ): Promise<ValidSession | null>;
  /** Ends the session that a token opens. */
  end(token: string): Promise<void>;
  /**
   * Ends the sessions of a user.
   *
   * @throws {ConfigurationError} When sessions are not revocable.
   */
  endAll(userId: string, options?: EndAllOptions): Promise<void>;
  /**
   * Expiry of a stored session under the present configuration; null where sessions are not stored.
   */
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

/** Source of a token. Only a token from a cookie is answered with a cookie. */
export type TokenSource = "cookie" | "bearer";

/** The session cookie, and how tokens are in it. */
export interface StrategyCookie extends SessionCookie {
  /** Reads and writes tokens in cookies. */
  tokens: TokenCookies;
  /** Time after which cookies without the prefix are no longer read. */
  until: number;
}

/** Values in a Cookie header under a name and under the names of its chunks. */
export interface CookiesOfToken {
  /** The token in them. */
  reading: CookieReading;
  /** The names that the browser sent. */
  names: string[];
}

/** Cookies that hold a token, which may be in several chunks. */
export interface TokenCookies {
  /** Reads it. */
  read(header: string | null, name: string): CookiesOfToken;
  /** The cookies that hold it. */
  split(name: string, token: string): [name: string, value: string][];
  /** The names of those that another request of the browser may have set for it at the same time. */
  alsoPossible(name: string, token: string): string[];
}
