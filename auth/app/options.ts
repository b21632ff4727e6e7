/**
 * Options for `createAuth()` and `defineAuthConfig()`.
 *
 * @module
 */

import type { TrustedProxies } from "../core/client_address.ts";
import type { DeviceBoundDefinition } from "../core/contracts.ts";
import type { CookieConfig } from "../core/cookie_options.ts";
import type { Provider } from "../core/provider.ts";
import type { SessionStrategyDefinition, SessionTimes } from "../core/session_strategy.ts";
import type { PagesConfig } from "../core/url_options.ts";
import { ConfigurationError } from "../errors.ts";
import { MAX_COOKIE_AGE } from "../lib/cookie.ts";
import { encodeText } from "../lib/encoding.ts";
import type { Logger } from "../lib/logger.ts";
import {
  isOptions,
  optionsAt,
  readFlag,
  readMade,
  resolveDefinition,
  wrongOption,
} from "../lib/options.ts";
import type { RbacDefinition } from "../rbac/roles.ts";
import type { ProviderTokens } from "../sign_in/oauth/tokens.ts";
import type { RateLimitConfig } from "../storage/rate_limits.ts";
import { readUserColumns } from "../storage/rows.ts";
import { createSqlStorage, type SqlStorageOptions } from "../storage/sql.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";
import type { TenancyDefinition } from "../tenant/tenancy.ts";
import type { DeliverMail } from "../types/application.ts";
import type { AuthCallbacks } from "../types/callbacks.ts";
import type { AuthEvents } from "../types/events.ts";
import type { RevocationStore } from "../types/session.ts";
import type { Tenancy } from "../types/tenant.ts";

/** Options common to all applications. */
export interface BaseOptions {
  /** Path of the endpoints. Default '/auth'. */
  basePath?: string;
  /**
   * Storage and lifetime of sessions. Default: in the database, 30 days, renewed at most once in 24
   * hours.
   */
  session?: SessionConfig;
  /** Names and attributes of cookies. */
  cookies?: CookieConfig;
  /** Pages of the application in place of the built-in ones. */
  pages?: PagesConfig;
  /**
   * Secrets of at least 32 bytes; the first signs, all verify. Behind the first, what is undefined or empty is left out,
   * so that a variable may hold the secret of before during a rotation alone. The session strategy 'jwt' needs one,
   * sessions in the database need none.
   */
  secret?: string | readonly (string | undefined)[];
  /** The origin of the application, such as "https://app.example". See also `allowedHosts`. */
  baseUrl?: string;
  /** The hosts of an application that has several. Needed, or `baseUrl`, off workers and loopback hosts. */
  allowedHosts?: string[];
  /** Further origins whose pages may send requests here, and to which redirects may lead. */
  trustedOrigins?: string[];
  /**
   * Limits for sign-in attempts, see the defaults there. `false` disables them, for applications
   * that limit attempts elsewhere.
   */
  rateLimit?: RateLimitConfig | false;
  /**
   * Columns that the application added to the table `users`. Its users have them as further fields, for
   * `getUser<AppUser>()`; no sign-in writes them. Default: none.
   */
  userColumns?: string[];
  /**
   * Logger for events, such as `console`. Default: errors go to `console.error`, one line of JSON
   * each; other events are dropped.
   */
  logger?: Logger;
  /** Function that calls the providers. Default: the platform's `fetch`. */
  fetch?: typeof fetch;
  /**
   * Delivers emails and decides if the provider's `sendVerificationRequest` is called. Default:
   * calls it.
   */
  deliver?: DeliverMail;
}

/** Options for `createAuth()`. */
export interface AuthOptions extends BaseOptions {
  /**
   * The proxies in front of the application: what `trustProxies()` returns. Only what they
   * write into `X-Forwarded-For` (or `Forwarded`, as they say), `X-Forwarded-Proto` and `X-Forwarded-Host` is believed;
   * it needs `info.clientAddress`, or a worker. Or the platform: what `trustPlatform()` returns, such as
   * `trustPlatform("vercel")`. Default: none, and no such header is read; one that comes is warned of as
   * `proxy-not-trusted`.
   */
  trustedProxies?: TrustedProxies;
  /** The ways to sign in, in the order in which the sign-in page shows them. */
  providers?: Provider[];
  /** Database of users and sessions: a D1-shaped database or a storage. */
  database?: SqlDatabase | Storage;
  /** Storage of the providers' tokens: `sealedTokens`. Default: tokens are not stored. */
  providerTokens?: ProviderTokens;
  /** The application's say in who signs in, where redirects lead and what a session holds. */
  callbacks?: AuthCallbacks;
  /** Listeners to what happens: sign-ins, refused requests and the like. */
  events?: AuthEvents;
  /** Roles and permissions, from `defineRBAC()`. Without it nobody has any permission. */
  rbac?: RbacDefinition;
  /** Tenancy: what `defineTenancy()` of `@framework/auth/tenant` returns. */
  tenancy?: TenancyDefinition;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/**
 * Options for `defineAuthConfig()`; an application by convention has its providers and database in
 * files.
 */
export interface AuthConfig extends BaseOptions {
  /**
   * The proxies in front of the application, by address or network such as "10.0.0.0/8", or what `trustProxies()`
   * returns for proxies that write `Forwarded`, or what `trustPlatform()` returns. Only what they write into `X-Forwarded-For`, `X-Forwarded-Proto` and
   * `X-Forwarded-Host` is believed; it needs `info.clientAddress`, or a worker. Default: none, and no such header is
   * read.
   */
  trustedProxies?: string[] | TrustedProxies;
  /** The order of the providers by id; those left out follow by name. Default: by name. */
  providers?: string[];
}

/** The keys of {@linkcode AuthOptions}. */
export const OPTION_KEYS: readonly string[] = [
  "basePath",
  "session",
  "cookies",
  "pages",
  "secret",
  "baseUrl",
  "allowedHosts",
  "trustedOrigins",
  "trustedProxies",
  "rateLimit",
  "userColumns",
  "logger",
  "providers",
  "providerTokens",
  "database",
  "callbacks",
  "events",
  "rbac",
  "tenancy",
  "now",
  "fetch",
  "deliver",
];

/** Lifetime and storage of sessions. */
export interface SessionConfig {
  /**
   * Session strategy: 'database' for rows that can be listed and revoked at any time, or 'jwt' for
   * signed tokens that are verified without a lookup. 'jwt' needs `secret` and no database.
   * `app/auth/config.ts` takes the word, `createAuth()` the value `jwtSessions`, so that only
   * applications that use it bundle it. Default: 'database' where there is one.
   */
  strategy?: "database" | "jwt" | SessionStrategyDefinition;
  /** Seconds after its last renewal at which a session ends. Default 30 days; at most 400 days. */
  maxAge?: number;
  /**
   * Seconds that pass at least between two renewals of one session. Default 24 hours. With 'jwt' and a
   * database that is also how long a change of the user's data may stay unseen.
   */
  updateAge?: number;
  /** Seconds after sign-in at which a session ends however often it is renewed. Default: no such end. */
  absoluteMaxAge?: number;
  /**
   * Accepts `Authorization: Bearer <token>` in place of the cookie, for clients other than
   * browsers. The token is the value of the session cookie. Default false.
   */
  bearer?: boolean;
  /**
   * With 'jwt', where sessions are ended before their time: see `createSqlRevocationStore()`. It is asked
   * in every request with a token. Default: nowhere, and a token is good until it expires, also
   * after the sign-out for anyone who has a copy.
   */
  revocation?: RevocationStore;
  /**
   * Binding of sessions to the device of the browser that signed in: `deviceBound()`, so that only applications that use it
   * bundle it. Default: a copy of the session cookie is the session.
   */
  deviceBound?: DeviceBoundDefinition;
}

/** The `session` block, checked. */
export interface SessionOptions {
  /** Session strategy; null when not configured. */
  strategy: "database" | SessionStrategyDefinition | null;
  /** Lifetimes of sessions. */
  times: SessionTimes;
  /** True when the Authorization header is accepted. */
  bearer: boolean;
  /** Revocation store for the strategy 'jwt', or null. */
  revocation: unknown;
  /** Binding of sessions to devices, or null. */
  deviceBound: DeviceBoundDefinition | null;
}

const KEYS = [
  "strategy",
  "maxAge",
  "updateAge",
  "absoluteMaxAge",
  "bearer",
  "revocation",
  "deviceBound",
];

function seconds(value: unknown, field: string, min: number, fallback: number): number {
  if (value === undefined) return fallback;
  if (
    typeof value !== "number" || !Number.isInteger(value) || value < min ||
    // A longer session would end by surprise.
    value > MAX_COOKIE_AGE
  ) {
    throw wrongOption(
      field,
      value,
      `a whole number of seconds from ${min} to ${MAX_COOKIE_AGE} (400 days)`,
    );
  }
  return value * 1000;
}

function readStrategy(value: unknown): SessionOptions["strategy"] {
  if (value === undefined) return null;
  if (value === "database") return value;
  if (isOptions(value) && value.kind === "session-strategy") {
    return value as unknown as SessionStrategyDefinition;
  }
  throw wrongOption(
    "session.strategy",
    value,
    '"database"; or jwtSessions, with import { jwtSessions } from "@framework/auth"',
  );
}

/** Checks the `session` block and fills in its defaults. */
export function readSessionOptions(value: unknown): SessionOptions {
  const options = optionsAt(value, "session", KEYS);
  return {
    strategy: readStrategy(options.strategy),
    // Defaults: 30 days and one day, in milliseconds.
    times: {
      maxAge: seconds(options.maxAge, "session.maxAge", 1, 2_592_000_000),
      updateAge: seconds(options.updateAge, "session.updateAge", 0, 86_400_000),
      absoluteMaxAge: seconds(options.absoluteMaxAge, "session.absoluteMaxAge", 1, Infinity),
    },
    bearer: readFlag(options.bearer, "session.bearer") ?? false,
    revocation: options.revocation,
    deviceBound: readMade<DeviceBoundDefinition>(options.deviceBound, "session.deviceBound", {
      kind: "device-bound",
      write: "deviceBound() of @framework/auth",
    }),
  };
}

/** Validated database of users and sessions. */
export interface DatabaseOption {
  /** True for a SQL database, whose storage by this library has every operation. */
  isSql: boolean;
  /** Makes its storage. */
  open(): Storage;
}

/** Line to write for what is no database, a bare driver above all. */
function lineFor(value: unknown): string {
  // Handles of pg connect; postgres.js and PGlite listen.
  const { connect, listen } = Object(value);
  const call = connect || listen ? "postgres" : "sqlite";
  return `a D1 binding, or ${call}(…) with import { ${call} } from "@framework/auth/${call}"`;
}

/**
 * Checks the options `database` and `userColumns`; null when there is no database.
 *
 * @throws {ConfigurationError} Naming the option and what to write.
 */
export function readDatabase(value: unknown, options: SqlStorageOptions): DatabaseOption | null {
  const isSql = isOptions(value) && "prepare" in value && "batch" in value;
  const userColumns = readUserColumns(options.userColumns);
  if (userColumns.length > 0 && !isSql) {
    throw wrongOption(
      "userColumns",
      userColumns,
      "it beside a SQL `database`, or give the names to createSqlStorage()",
    );
  }
  if (isSql) {
    return { isSql, open: () => createSqlStorage(value as unknown as SqlDatabase, options) };
  }
  if (value === undefined || value === null) return null;
  if (isOptions(value) && "readSession" in value) {
    return { isSql, open: () => value as unknown as Storage };
  }
  throw wrongOption("database", value.constructor?.name, lineFor(value));
}

function isStrong(secret: unknown): secret is string {
  return typeof secret === "string" && encodeText(secret).length >= 32;
}

/**
 * Checks the option `secret`: one secret or several, of which the first signs and all verify. Empty when it is
 * left out.
 *
 * @throws {ConfigurationError} When the first is missing or one is too short (RFC 7518, 3.2).
 */
export function readSecrets(value: unknown): string[] {
  if (value === undefined) return [];
  const isList = Array.isArray(value);
  const [first, ...before]: unknown[] = isList ? value : [value];
  // The secret of before is there during a rotation alone, which must not need another build.
  const secrets = [first ?? "", ...before.map((one) => one || null)];
  const wrong = secrets.findIndex((one) => one !== null && !isStrong(one));
  if (wrong < 0) return secrets.filter(isStrong);
  const field = isList ? `secret[${wrong}]` : "secret";
  // The value is not described: a short secret is a secret too.
  throw new ConfigurationError(
    `Wrong option "${field}": a secret must be a text of at least 32 bytes. ` +
      "Make one with: openssl rand -hex 32",
    { field },
  );
}

/**
 * Reads the option `tenancy`; null without it. Nothing here knows how tenants are found, so that an
 * application without tenants does not bundle the check.
 */
export function readTenancyOption(
  value: unknown,
  { env, database }: { env: unknown; database: unknown },
): Tenancy | null {
  const write = "what defineTenancy() returns";
  const made = readMade<TenancyDefinition>(value, "tenancy", { kind: "tenancy", write });
  if (made === null) return null;
  const isSql = isOptions(database) && "prepare" in database;
  const sql = isSql ? database as unknown as SqlDatabase : null;
  return resolveDefinition(made.definition, env).create(sql);
}
