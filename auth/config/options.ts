import type { AuthCallbacks } from "../callbacks/callbacks.ts";
import type { AuthEvents } from "../events/events.ts";
import type { RateLimitConfig } from "../rate_limit/rate_limit_config.ts";
import type { ProviderTokens } from "../oauth/account_tokens.ts";
import type { RbacDefinition } from "../rbac/rbac_definition.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";
import type { Provider } from "../providers/provider.ts";
import type { TenancyDefinition } from "../tenant/tenancy_definition.ts";
import type { TrustedProxies } from "../http/trusted_proxies.ts";
import type { PagesConfig } from "./address_options.ts";
import type { CookieConfig } from "./cookie_options.ts";
import type { Logger } from "./logger.ts";
import type { SessionConfig } from "./session_options.ts";
import type { DeliverMail } from "../providers/application.ts";

/** What every application can declare. */
export interface BaseOptions {
  /** Where the endpoints are. Default '/auth'. */
  basePath?: string;
  /** Where sessions live and how long. Default: in the database, 30 days, renewed at most once in 24 hours. */
  session?: SessionConfig;
  /** Names and attributes of cookies. */
  cookies?: CookieConfig;
  /** Pages of the application in place of the built-in ones. */
  pages?: PagesConfig;
  /**
   * Secrets of at least 32 bytes; the first signs, all verify. The session strategy 'jwt' needs one,
   * sessions in the database need none.
   */
  secret?: string | string[];
  /** The origin of the application, such as "https://app.example". See also `allowedHosts`. */
  baseUrl?: string;
  /** The hosts of an application that has several. Needed, or `baseUrl`, off workers and loopback hosts. */
  allowedHosts?: string[];
  /** Further origins whose pages may send requests here, and to which redirects may lead. */
  trustedOrigins?: string[];
  /**
   * How often the ways to sign in may be tried, see the defaults there. `false`: as often as anybody likes,
   * for applications that limit it elsewhere.
   */
  rateLimit?: RateLimitConfig | false;
  /**
   * Columns that the application added to the table `users`. Its users have them as further fields, for
   * `getUser<AppUser>()`; no sign-in writes them. Default: none.
   */
  userColumns?: string[];
  /**
   * Where events are reported; `console` fits. Default: what is broken goes to `console.error`, a line of JSON
   * each, and nothing else anywhere.
   */
  logger?: Logger;
  /** What calls the providers. Default: the platform's `fetch`. */
  fetch?: typeof fetch;
  /** What delivers mails; it decides whether the provider's `sendVerificationRequest` is called. Default: that. */
  deliver?: DeliverMail;
}

/** What `createAuth()` takes. */
export interface AuthOptions extends BaseOptions {
  /**
   * The proxies in front of the application: what `trustProxies()` returns. Only what they
   * write into `X-Forwarded-For`, `Forwarded`, `X-Forwarded-Proto` and `X-Forwarded-Host` is believed; it
   * needs `info.clientAddress`, or a worker. Default: none, and no such header is read.
   */
  trustedProxies?: TrustedProxies;
  /** The ways to sign in, in the order in which the sign-in page shows them. */
  providers?: Provider[];
  /** Where users and sessions are: a D1-shaped database or a storage. */
  database?: SqlDatabase | Storage;
  /** How the tokens of providers are kept: `sealedTokens`. Default: they are not. */
  providerTokens?: ProviderTokens;
  /** The application's say in who signs in, where redirects lead and what a session holds. */
  callbacks?: AuthCallbacks;
  /** Listeners to what happens: sign-ins, refused requests and the like. */
  events?: AuthEvents;
  /** Roles and what they permit: what `defineRBAC()` returns. Without it nobody has any permission. */
  rbac?: RbacDefinition;
  /** Tenants that are kept apart: what `defineTenancy()` of `@framework/auth/tenant` returns. */
  tenancy?: TenancyDefinition;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number;
}

/** What `defineAuthConfig()` takes; an application by convention has its providers and database in files. */
export interface AuthConfig extends BaseOptions {
  /**
   * The proxies in front of the application, by address or network such as "10.0.0.0/8". Only what they
   * write into `X-Forwarded-For`, `Forwarded`, `X-Forwarded-Proto` and `X-Forwarded-Host` is believed; it
   * needs `info.clientAddress`, or a worker. Default: none, and no such header is read.
   */
  trustedProxies?: string[];
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
