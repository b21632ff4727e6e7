/**
 * The builder of the settings: checks every option and calls every feature.
 *
 * @module
 */

import type { EndpointModule, Settings, SignInMethod } from "../core/contracts.ts";
import { DEFAULT_COOKIE, readCookieOptions, type SessionCookie } from "../core/cookie_options.ts";
import { isMethod, isProvider, resolveMethod, statelessOf } from "../core/provider.ts";
import {
  pagesBelow,
  readAllowedHosts,
  readBasePath,
  readBaseUrl,
  readPages,
  readTrustedOrigins,
  readTrustedProxies,
} from "../core/url_options.ts";
import { createSafeLogger } from "../lib/logger.ts";
import { ifGiven, optionsOf, readClock, readFunction, wrongOption } from "../lib/options.ts";
import { isRoutedByHost } from "../lib/runtime.ts";
import { readRbacOption } from "../rbac/roles.ts";
import { createStrategy } from "../session/database_strategy.ts";
import { readProviderTokens } from "../sign_in/oauth/tokens.ts";
import { openOnce } from "../storage/sql.ts";
import { readCallbacks, readEvents } from "./define.ts";
import { readTenancyOption } from "./options.ts";
import {
  type AuthOptions,
  OPTION_KEYS,
  readDatabase,
  readSecrets,
  readSessionOptions,
} from "./options.ts";

function readProviders(value: unknown, env: unknown): (SignInMethod | EndpointModule)[] {
  const providers = new Map<string, SignInMethod | EndpointModule>();
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongOption("providers", value, "a list of providers");
  for (const [index, item] of value.entries()) {
    const field = `providers[${index}]`;
    if (!isProvider(item)) {
      throw wrongOption(field, item, "what a provider function such as credentials() returns");
    }
    const provider = resolveMethod(item, env);
    if (provider === null) continue;
    if (providers.has(provider.id)) {
      throw wrongOption(`${field}.id`, provider.id, "an id that no other provider has");
    }
    providers.set(provider.id, provider);
  }
  return [...providers.values()];
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
 * Validates the options of an application and fills in the defaults.
 *
 * @param env The environment, for providers that are made from it.
 * @throws {ConfigurationError} Naming the option, what was found and what to write.
 */
export function readSettings(options: AuthOptions, env: unknown): Settings {
  optionsOf(options, "createAuth()", OPTION_KEYS);
  const { logger } = options;
  const now = readClock(options.now);
  if (logger !== undefined && typeof logger?.error !== "function") {
    throw wrongOption("logger", logger, "an object with info, warn and error, such as console");
  }
  readFunction(options.deliver, "deliver", "a function that is given the mail");
  readFunction(options.fetch, "fetch", "a function such as fetch");
  const basePath = readBasePath(options.basePath);
  const baseOrigin = readBaseUrl(options.baseUrl);
  const cookie = ifGiven(options.cookies, readCookieOptions, DEFAULT_COOKIE);
  if (cookie !== DEFAULT_COOKIE) checkCookieReach(cookie, basePath, baseOrigin);
  const session = readSessionOptions(options.session);
  const secrets = readSecrets(options.secret);
  const callbacks = ifGiven(options.callbacks, readCallbacks, {});
  const safeLogger = createSafeLogger(logger);
  const database = readDatabase(options.database, {
    logger: safeLogger,
    userColumns: options.userColumns,
  });
  const openStorage = openOnce(() => database?.open() ?? statelessOf({ strategy }).createStorage());
  const strategy: Settings["strategy"] = (session.deviceBound?.create ?? createStrategy)(
    session.strategy,
    {
      times: session.times,
      cookieName: cookie.name,
      hostOnly: cookie.hostOnly,
      hostOnlySince: cookie.since,
      secrets,
      storage: database && openStorage,
      revocation: session.revocation,
      callbacks,
      now,
      logger: safeLogger,
    },
  );
  const tenancy = readTenancyOption(options.tenancy, { env, database: options.database });
  const modules = readProviders(options.providers, env).concat(strategy.modules ?? []);
  const methods = modules.filter(isMethod);
  const pages = ifGiven(
    options.pages,
    (value) => readPages(value, basePath),
    pagesBelow(basePath),
  );
  // The literal has no accessor: V8 makes a dictionary of such a one, and everything in it is slow to read.
  const settings = Object.defineProperty<Omit<Settings, "storage">>(
    {
      basePath,
      strategy,
      bearer: session.bearer,
      cookie: {
        ...cookie,
        tokens: strategy.cookies,
        until: cookie.since + session.times.maxAge,
      },
      pages: { ...pages, theme: pages.theme ?? methods.find((one) => one.pages)?.pages ?? null },
      address: {
        baseOrigin,
        allowedHosts: readAllowedHosts(options.allowedHosts),
        isTenantHost: tenancy?.isTenantHost,
        // What a proxy passes on may be what the client wrote.
        platformRoutesByHost: isRoutedByHost() && options.trustedProxies === undefined,
        trustedProxies: readTrustedProxies(options.trustedProxies),
      },
      trustedOrigins: ifGiven(options.trustedOrigins, readTrustedOrigins, new Set()),
      providers: new Map(methods.map((method) => [method.id, method])),
      modules,
      providerTokens: readProviderTokens(options.providerTokens),
      callbacks,
      events: ifGiven(options.events, readEvents, {}),
      rateLimit: options.rateLimit,
      rbac: readRbacOption(options.rbac, env),
      tenancy,
      secrets,
      hasDatabase: database !== null,
      hasSqlDatabase: database?.isSql === true,
      now,
      // Found anew at each call, since tests put another one in its place.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      deliver: options.deliver,
      logger: safeLogger,
    },
    "storage",
    // What stands between a request and the settings may guard it.
    { get: openStorage, configurable: true },
  ) as Settings;
  if (settings.rbac?.teamRoles) tenancy?.scopeRoles();
  for (const module of modules) {
    module.check?.(settings);
    settings.events = module.listen?.(settings) ?? settings.events;
  }
  return settings;
}
