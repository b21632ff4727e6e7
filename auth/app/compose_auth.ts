/**
 * `composeAuth()`, for an application by convention.
 *
 * @module
 */

import { ACCOUNT_ENDPOINTS, accountEndpoints } from "../account/linked_accounts.ts";
import { type TrustedProxies, trustProxies } from "../core/client_address.ts";
import { isMethod, isProvider, type Provider, resolveMethod } from "../core/provider.ts";
import type { PagesConfig } from "../core/url_options.ts";
import { ConfigurationError } from "../errors.ts";
import type { Logger } from "../lib/logger.ts";
import {
  checkKeys,
  type Definition,
  describe,
  didYouMean,
  isOptions,
  resolveDefinition,
  wrongOption,
} from "../lib/options.ts";
import { defaultTheme } from "../sign_in/pages.ts";
import type { Auth } from "../session/context_auth.ts";
import { sealedTokens } from "../sign_in/oauth/tokens.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";
import type { DeliverMail } from "../types/application.ts";
import { createAuth } from "./create_auth.ts";
import { jwtSessions } from "./jwt_sessions.ts";
import { type AuthConfig, type AuthOptions, OPTION_KEYS, type SessionConfig } from "./options.ts";

/** Parts of an application by convention. */
export interface AuthParts {
  /** The default export of `app/auth/config.ts`; undefined without that file. */
  config?: unknown;
  /** The default export of `app/auth/callbacks.ts`. */
  callbacks?: unknown;
  /** The default export of `app/auth/events.ts`. */
  events?: unknown;
  /** The default export of `app/auth/rbac.ts`. */
  rbac?: unknown;
  /** The default export of `app/auth/tenant.ts`. */
  tenant?: unknown;
  /** The default exports of `app/auth/providers/<id>.ts`, by file name without extension. */
  providers: Record<string, unknown>;
  /** Finds the database in the environment. */
  database: (env: unknown) => SqlDatabase | Storage | undefined;
  /** The clock. Default `Date.now`. */
  now?: () => number;
  /** Delivers emails. Default: the providers' own `sendVerificationRequest`. */
  deliver?: DeliverMail;
  /** Logger used unless the configuration names one. Default: errors only, to `console.error`. */
  logger?: Logger;
}

/** Options with a file of their own, and the name of the file. */
const FILE_PARTS = [
  ["callbacks", "callbacks"],
  ["events", "events"],
  ["rbac", "rbac"],
  ["tenancy", "tenant"],
] as const;
const ELSEWHERE: readonly string[] = [
  "database",
  "now",
  "fetch",
  "deliver",
  "providerTokens",
  ...FILE_PARTS.map(([option]) => option),
];
const CONFIG_KEYS = OPTION_KEYS.filter((key) => !ELSEWHERE.includes(key));

function readConfig(config: unknown, env: unknown): AuthConfig {
  if (config === undefined) return {};
  const value = resolveDefinition(config as Definition<unknown>, env);
  if (!isOptions(value)) {
    throw wrongOption("app/auth/config.ts", value, "a default export made by defineAuthConfig()");
  }
  for (const [option, file] of FILE_PARTS) {
    if (!(option in value)) continue;
    throw new ConfigurationError(
      `app/auth/config.ts has "${option}", which belongs into a file of its own: make it the default export of ` +
        `app/auth/${file}.ts`,
      { field: option },
    );
  }
  checkKeys(value, CONFIG_KEYS, "");
  return value as AuthConfig;
}

/** The parts that have a file, in this environment. What is in them is checked with the other options. */
function readFileParts(parts: AuthParts, env: unknown): Partial<AuthOptions> {
  const present = FILE_PARTS.filter(([, file]) => parts[file] !== undefined);
  return Object.fromEntries(
    present.map((
      [option, file],
    ) => [option, resolveDefinition(parts[file] as Definition<unknown>, env)]),
  );
}

/**
 * The strategy that "jwt" names: in files it is a word, by code a value. What else is wrong is found later.
 *
 * @throws {ConfigurationError} For a word that names none, and where there is no database and nothing else is said.
 */
function readSession(
  session: SessionConfig | undefined,
  storage: SqlDatabase | Storage | undefined,
): SessionConfig | undefined {
  if (session !== undefined && !isOptions(session)) return session;
  const { strategy = "database" } = session ?? {};
  if (strategy === "jwt") return { ...session, strategy: jwtSessions };
  if (strategy === "database" && storage === undefined) {
    throw new ConfigurationError(
      "No session storage is configured: give the application a database, or write " +
        'session: { strategy: "jwt" } and `secret` into app/auth/config.ts',
      { field: "database" },
    );
  }
  if (typeof strategy === "string" && strategy !== "database") {
    throw wrongOption("session.strategy", strategy, '"database" or "jwt"');
  }
  return session;
}

/** The pages, which every application by convention has unless it brings its own theme. */
function readPages(pages: PagesConfig = {}): PagesConfig {
  if (!isOptions(pages)) return pages;
  const { theme = defaultTheme, ...own }: PagesConfig = pages;
  return { theme, ...own };
}

/** File names in the configured order, then the others by name. */
function orderNames(names: string[], order: unknown): string[] {
  if (order !== undefined && !Array.isArray(order)) {
    throw wrongOption(
      "providers",
      order,
      "a list of provider ids, which are file names in app/auth/providers",
    );
  }
  const wanted: unknown[] = order ?? [];
  for (const id of wanted) {
    if (typeof id === "string" && names.includes(id)) continue;
    const hint = typeof id === "string" ? didYouMean(id, names) : "";
    throw new ConfigurationError(
      `Wrong option "providers": there is no app/auth/providers/${String(id)}.ts. ${hint}`
        .trimEnd(),
      { field: "providers" },
    );
  }
  const rest = names.filter((name) => !wanted.includes(name)).sort();
  return [...new Set([...wanted as string[], ...rest])];
}

/** Makes a part of a file of `app/auth/providers`: an option that is wrong in it is one of that file, not of the configuration. */
function makeOf<Made>(name: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.field === undefined) throw error;
    const { message, field } = error;
    throw new ConfigurationError(message, { field: `providers.${name}.${field}`, cause: error });
  }
}

function readProvider(name: string, value: unknown, env: unknown): Provider | null {
  const file = `app/auth/providers/${name}.ts`;
  const provider = makeOf(name, () => resolveDefinition(value as Definition<unknown>, env));
  if (!isProvider(provider)) {
    throw new ConfigurationError(
      `${file} has ${
        describe(provider)
      } as its default export: write export default defineProvider(…)`,
      { field: `providers.${name}` },
    );
  }
  const definition = makeOf(name, () => resolveMethod(provider, env));
  if (definition === null) return null;
  const { id } = definition;
  if (definition === ACCOUNT_ENDPOINTS) {
    throw new ConfigurationError(
      `${file} has accountEndpoints() as its default export, which an application by convention has anyway: ` +
        "delete the file",
      { field: `providers.${name}` },
    );
  }
  if (id !== name) {
    const what = isMethod(definition)
      ? `makes a provider with the id "${id}": name the file ${id}.ts, or set id: "${name}"`
      : `has endpoints called "${id}" as its default export, and no way to sign in: name the file ${id}.ts`;
    throw new ConfigurationError(`${file} ${what}`, { field: `providers.${name}` });
  }
  return { kind: "provider", definition };
}

/**
 * Sets the library up for an application by convention. The generated entry of such an application is
 * its only caller.
 *
 * @param parts The default exports of the application's files, and where its database is.
 * @throws {ConfigurationError} When something that does not depend on the environment is wrong; the
 * rest at the first request.
 *
 * @example
 * ```ts
 * import { composeAuth, defineAuthConfig } from "@framework/auth/convention";
 * import { createMemoryStorage } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const auth = composeAuth({
 *   config: defineAuthConfig({ pages: { signIn: "/login" } }),
 *   providers: {},
 *   database: () => storage,
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/session"), {});
 * equal(response?.status, 200);
 * ```
 */
export function composeAuth(parts: AuthParts): Auth<unknown> {
  const { config, providers, database, now, deliver, logger } = parts;

  function optionsFor(env: unknown): AuthOptions {
    const given = readConfig(config, env);
    const { providers: order, session: named, trustedProxies, pages, ...base } = given;
    const storage = database(env);
    const session = readSession(named, storage);
    const names = orderNames(Object.keys(providers), order);
    return {
      ...(logger !== undefined && { logger }),
      ...base,
      ...(session !== undefined && { session }),
      pages: readPages(pages),
      providerTokens: sealedTokens,
      ...(trustedProxies !== undefined && {
        trustedProxies: isOptions(trustedProxies) && "kind" in trustedProxies
          ? trustedProxies as TrustedProxies
          : trustProxies(trustedProxies as string[]),
      }),
      ...readFileParts(parts, env),
      providers: [
        ...names.map((name) => readProvider(name, providers[name], env))
          .filter((provider) => provider !== null),
        accountEndpoints(),
      ],
      ...(storage !== undefined && { database: storage }),
      ...(now !== undefined && { now }),
      ...(deliver !== undefined && { deliver }),
    };
  }

  return createAuth(optionsFor);
}
