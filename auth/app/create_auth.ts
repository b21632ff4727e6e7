/**
 * `createAuth()` and the endpoints that every application has.
 *
 * @module
 */

import type { EndpointModule, RequestStore, Settings } from "../core/contracts.ts";
import { dispatch, type EndpointTable, refuseCrossSite } from "../core/dispatch.ts";
import { isHandshake } from "../core/origin.ts";
import { ownRedirect, pathBelow, redirectResponse } from "../core/redirect.ts";
import { currentRequest } from "../core/request.ts";
import { RequestError } from "../errors.ts";
import { NO_COOKIES } from "../lib/cookie.ts";
import { createSafeLogger } from "../lib/logger.ts";
import { resolveDefinition, wrongOption } from "../lib/options.ts";
import {
  type Auth,
  type ContextAuth,
  createContextAuth,
  type RunContext,
} from "../session/context_auth.ts";
import { answerInScope, openScope } from "../session/request_scope.ts";
import { SETTINGS, type WithSettings } from "../session/settings_of.ts";
import { createEndpointTable } from "./endpoints.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { AuthOptions } from "./options.ts";
import { readSettings } from "./settings.ts";

/** Most requests ask at once, by the operations of the same names: these are made when they are asked for. */
class OpenContext implements RunContext {
  readonly #store: RequestStore;
  #auth: ContextAuth | undefined;

  constructor(store: RequestStore) {
    this.#store = store;
  }

  get auth(): ContextAuth {
    return this.#auth ??= createContextAuth(this.#store);
  }
}

/**
 * Sets the library up for one application: the endpoints below `basePath`, and the sessions of its requests.
 *
 * @param source The options, or a function that makes them from the environment. Options that do not
 * depend on it are checked at once.
 * @throws {ConfigurationError} When an option is wrong; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, credentials, getUser } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [credentials({
 *     credentials: { pin: { label: "PIN", type: "password", required: true } },
 *     authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
 *   })],
 * });
 * async function serve(request: Request): Promise<Response> {
 *   return await auth.handle(request, {}) ??
 *     auth.run(request, {}, undefined, () => new Response(`Hello ${getUser()?.name ?? "stranger"}`));
 * }
 *
 * const signedIn = await serve(
 *   new Request("http://localhost/auth/signin/credentials", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ pin: "1234" }),
 *   }),
 * );
 * const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
 * const page = await serve(new Request("http://localhost/", { headers: { cookie } }));
 * equal(await page.text(), "Hello Ada");
 * ```
 */
export function createAuth<Env = unknown>(
  source: AuthOptions | ((env: Env) => AuthOptions),
): Auth<Env> {
  const compiled = createCompiler<Env>(source);

  const auth: Auth<Env> & WithSettings<Env> = {
    async handle(request, env, info = {}) {
      const { settings, table } = compiled(env);
      const url = parse(request.url);
      const path = url && pathBelow(url.pathname, settings.basePath);
      if (url === null || path === null) return null;
      const renew = request.method === "GET";
      const response = await answerInScope(
        () => openScope({ request, env, settings, info, renew, isEndpoint: true }),
        async (store) => {
          await store.auth.tenant?.preload();
          return await dispatch(table, path, { store, url, info });
        },
      );
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
    run(request, env, info = {}, next) {
      const isSocket = isHandshake(request);
      return answerInScope(() => {
        const { settings } = compiled(env);
        const scope = openScope({ request, env, settings, info, renew: !isSocket });
        return isSocket ? Object.assign(scope, { cookiesOut: NO_COOKIES }) : scope;
      }, (scope) => {
        // A page of any site may open a WebSocket with the cookies of whoever looks at it, and read what it says.
        if (isSocket) refuseCrossSite(scope);
        const { auth } = scope;
        const tenant = auth.tenant?.preload();
        const context = new OpenContext(scope);
        const session = (info.session ?? true) === true ? auth.preload() : undefined;
        // What is known at once is not waited for.
        const pending = tenant === undefined ? session : Promise.all([tenant, session]);
        return pending === undefined ? next(context) : pending.then(() => next(context));
      });
    },
    assertSameOrigin(request, env, info = {}) {
      const { settings } = compiled(env);
      refuseCrossSite(openScope({ request, env, settings, info, renew: false }));
    },
    async fetch(request, env, info = {}) {
      function nothing(): Response {
        const { basePath, modules } = compiled(env!).settings;
        // Sign-ins lead there that ask for no other page.
        const isStart = parse(request.url)?.pathname === "/";
        if (isStart && modules.some(({ id }) => id === "account")) {
          const { origin } = currentRequest("fetch").auth;
          return redirectResponse(ownRedirect(`${basePath}/account`, origin()), 303);
        }
        throw new RequestError(undefined, { code: "NOT_FOUND" });
      }

      return await auth.handle(request, env!, info) ??
        auth.run(request, env!, info, info.next ?? nothing);
    },
    async migrate(env, { database = compiled(env!).database } = {}) {
      if (database?.migrate) return await database.migrate();
      throw wrongOption("database", database, "sqlite(…), postgres(…) or d1(…) around the handle");
    },
    async deliver(env, bounds) {
      const { settings } = compiled(env!);
      const outbox = settings.modules.find((one): one is EndpointModule => "deliver" in one);
      if (outbox) return await outbox.deliver!(settings, bounds);
      throw wrongOption("providers", undefined, "outbox() among them, which auth.deliver() needs");
    },
    storage(env) {
      return compiled(env).settings.storage;
    },
    [SETTINGS](env) {
      return compiled(env).settings;
    },
  };
  return auth;
}

/** An address that a server made of a Host header may be none. */
function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/** An application's options, checked, and its endpoints. */
export interface Compiled {
  /** The options. */
  settings: Settings;
  /** The endpoints. */
  table: EndpointTable;
  /** The database, as it was given. */
  database: Partial<SqlDatabase> | undefined;
}

function compile(options: AuthOptions, env: unknown): Compiled {
  const settings = readSettings(options, env);
  return {
    settings,
    table: createEndpointTable(settings),
    database: options.database as Partial<SqlDatabase> | undefined,
  };
}

/**
 * Tests for parts that are made from the environment. A value that is no list of parts is left to
 * the validation.
 */
function dependsOnEnvironment(options: AuthOptions): boolean {
  const { providers, rbac, tenancy } = options ?? {};
  const parts = [...(Array.isArray(providers) ? providers : []), rbac, tenancy];
  return parts.some((part) => typeof part?.definition === "function");
}

/** Compiles once: at the start where nothing depends on the environment, else once per environment object. */
export function createCompiler<Env>(
  source: AuthOptions | ((env: Env) => AuthOptions),
): (env: Env) => Compiled {
  const byEnv = new WeakMap<object, Compiled>();
  // One that is no object, such as `undefined`, is not another one either.
  const byValue = new Map<unknown, Compiled>();
  let single: Compiled | undefined;
  if (typeof source !== "function") {
    if (!dependsOnEnvironment(source)) single = compile(source, undefined);
  }
  return function compiled(env) {
    if (single !== undefined) return single;
    const isObject = typeof env === "object" && env !== null;
    const known = (isObject ? byEnv : byValue) as Pick<typeof byValue, "get" | "set">;
    let found = known.get(env);
    if (found === undefined) {
      let options: AuthOptions | undefined;
      try {
        options = resolveDefinition<AuthOptions>(source, env);
        found = compile(options, env);
      } catch (error) {
        // Some hosts drop what a request throws. A logger that is not yet checked may be none.
        const logger = typeof options?.logger?.error === "function" ? options.logger : undefined;
        createSafeLogger(logger).error("configuration-failed", { error });
        throw error;
      }
      known.set(env, found);
    }
    return found;
  };
}
