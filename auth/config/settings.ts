import { ConfigurationError } from "../errors/configuration_error.ts";
import { type AddressOptions, isWorkerPlatform } from "../http/own_origin.ts";
import { type CredentialsProvider, isProvider } from "../providers/provider.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqlStorage } from "../storage/sql_storage.ts";
import type { Storage } from "../storage/storage.ts";
import {
  type Pages,
  readAllowedHosts,
  readBasePath,
  readBaseUrl,
  readPages,
  readTrustedOrigins,
} from "./address_options.ts";
import { checkKeys, isOptions, wrongOption } from "./check.ts";
import { readCookieOptions, type SessionCookie } from "./cookie_options.ts";
import { resolveDefinition } from "./definition.ts";
import { createSafeLogger, type Logger } from "./logger.ts";
import { type AuthOptions, OPTION_KEYS } from "./options.ts";
import { readSessionOptions, type SessionTimes } from "./session_options.ts";

/** The options of an application, checked and complete. Made once per environment. */
export interface Settings {
  /** Where the endpoints are. */
  basePath: string;
  /** How long sessions last. */
  times: SessionTimes;
  /** The session cookie. */
  cookie: SessionCookie;
  /** The pages. */
  pages: Pages;
  /** What is known of the own address. */
  address: AddressOptions;
  /** Further origins. */
  trustedOrigins: ReadonlySet<string>;
  /** The providers by id, in order. */
  providers: ReadonlyMap<string, CredentialsProvider>;
  /** Users and sessions. */
  storage: Storage;
  /** The clock. */
  now: () => number;
  /** Where events are reported. */
  logger: Logger;
}

const MIN_SECRET_BYTES = 32;

function checkSecret(value: unknown): void {
  if (value === undefined) return;
  const secrets: unknown[] = Array.isArray(value) ? value : [value];
  const strong = secrets.length > 0 &&
    secrets.every((secret) =>
      typeof secret === "string" && new TextEncoder().encode(secret).length >= MIN_SECRET_BYTES
    );
  if (strong) return;
  // The value is not described: a short secret is a secret too.
  throw new ConfigurationError(
    `Wrong option "secret": each secret must be a text of at least ${MIN_SECRET_BYTES} bytes. ` +
      "Make one with: openssl rand -hex 32",
    { field: "secret" },
  );
}

function readStorage(value: unknown): Storage {
  if (value === undefined || value === null) {
    throw new ConfigurationError(
      'Nothing says where sessions live: configure `database` (session strategy "database"). ' +
        'The session strategy "jwt", which needs none, is not available in this version.',
      { field: "database" },
    );
  }
  if (typeof value === "object") {
    if ("prepare" in value && "batch" in value) return createSqlStorage(value as SqlDatabase);
    if ("readSession" in value) return value as Storage;
  }
  throw wrongOption("database", value, "a D1 binding, or what createSqlStorage() returns");
}

function readProviders(value: unknown, env: unknown): ReadonlyMap<string, CredentialsProvider> {
  const providers = new Map<string, CredentialsProvider>();
  if (value === undefined) return providers;
  if (!Array.isArray(value)) throw wrongOption("providers", value, "a list of providers");
  for (const [index, item] of value.entries()) {
    const field = `providers[${index}]`;
    if (!isProvider(item)) throw wrongOption(field, item, "what credentials() returns");
    const provider = resolveDefinition(item.definition, env);
    if (providers.has(provider.id)) {
      throw wrongOption(`${field}.id`, provider.id, "an id that no other provider has");
    }
    providers.set(provider.id, provider);
  }
  return providers;
}

/** A cookie that does not reach the endpoints could never be ended by them. */
function checkCookieReach(
  cookie: SessionCookie,
  basePath: string,
  baseOrigin: string | null,
): void {
  const { path, domain } = cookie;
  const reaches = path === basePath || basePath.startsWith(path.endsWith("/") ? path : `${path}/`);
  if (!reaches) {
    throw wrongOption(
      "cookies.sessionToken.options.path",
      path,
      `a path above the endpoints at "${basePath}"`,
    );
  }
  if (domain === null || baseOrigin === null) return;
  const host = new URL(baseOrigin).hostname;
  if (host !== domain && !host.endsWith(`.${domain}`)) {
    throw wrongOption(
      "cookies.sessionToken.options.domain",
      domain,
      `"${host}" or a domain above it`,
    );
  }
}

/**
 * Checks the options of an application and fills in what they leave out.
 *
 * @param env The environment, for providers that are made from it.
 * @throws {ConfigurationError} Naming the option, what was found and what to write.
 */
export function readSettings(options: AuthOptions, env: unknown): Settings {
  const given: unknown = options;
  if (!isOptions(given)) throw wrongOption("createAuth()", given, "an object");
  checkKeys(given, OPTION_KEYS, "");
  checkSecret(options.secret);
  const { now = Date.now, logger } = options;
  if (typeof now !== "function") {
    throw wrongOption("now", now, "a function that returns milliseconds");
  }
  if (logger !== undefined && typeof logger?.error !== "function") {
    throw wrongOption("logger", logger, "an object with info, warn and error, such as console");
  }
  const basePath = readBasePath(options.basePath);
  const baseOrigin = readBaseUrl(options.baseUrl);
  const cookie = readCookieOptions(options.cookies);
  checkCookieReach(cookie, basePath, baseOrigin);
  return {
    basePath,
    times: readSessionOptions(options.session),
    cookie,
    pages: readPages(options.pages, basePath),
    address: {
      baseOrigin,
      allowedHosts: readAllowedHosts(options.allowedHosts),
      platformRoutesByHost: isWorkerPlatform(),
    },
    trustedOrigins: readTrustedOrigins(options.trustedOrigins),
    providers: readProviders(options.providers, env),
    storage: readStorage(options.database),
    now,
    logger: createSafeLogger(logger),
  };
}
