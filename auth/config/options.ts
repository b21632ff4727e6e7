import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";
import type { Provider } from "../providers/provider.ts";
import type { PagesConfig } from "./address_options.ts";
import type { CookieConfig } from "./cookie_options.ts";
import type { Logger } from "./logger.ts";
import type { SessionConfig } from "./session_options.ts";

/** What every application can declare. */
export interface BaseOptions {
  /** Where the endpoints are. Default '/auth'. */
  basePath?: string;
  /** How long sessions last. Default: in the database, 30 days, renewed at most once in 24 hours. */
  session?: SessionConfig;
  /** Names and attributes of cookies. */
  cookies?: CookieConfig;
  /** Pages of the application in place of the built-in ones. */
  pages?: PagesConfig;
  /**
   * Secrets of at least 32 bytes; the first signs, all verify. It is checked at the start. Sessions in
   * the database need none.
   */
  secret?: string | string[];
  /** The origin of the application, such as "https://app.example". See also `allowedHosts`. */
  baseUrl?: string;
  /** The hosts of an application that has several. Needed, or `baseUrl`, off workers and loopback hosts. */
  allowedHosts?: string[];
  /** Further origins whose pages may send requests here, and to which redirects may lead. */
  trustedOrigins?: string[];
  /** Where events are reported; `console` fits. Default: nowhere. */
  logger?: Logger;
}

/** What `createAuth()` takes. */
export interface AuthOptions extends BaseOptions {
  /** The ways to sign in, in the order in which the sign-in page shows them. */
  providers?: Provider[];
  /** Where users and sessions are: a D1-shaped database or a storage. */
  database?: SqlDatabase | Storage;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/** What `defineAuthConfig()` takes; an application by convention has its providers and database in files. */
export interface AuthConfig extends BaseOptions {
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
  "logger",
  "providers",
  "database",
  "now",
];
