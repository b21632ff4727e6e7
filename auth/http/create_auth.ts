import type { AuthOptions } from "../config/options.ts";
import { type ContextAuth, createContextAuth } from "../request/context_auth.ts";
import type { Session } from "../session/session.ts";
import { sessionCookieLines } from "../session/session_cookie.ts";
import { mintSession } from "../sign_in/mint_session.ts";
import type { Storage } from "../storage/storage.ts";
import { createCompiler } from "./compiler.ts";
import { dispatch, pathBelow } from "./dispatch.ts";
import { refuseCrossSite } from "./refuse_cross_site.ts";
import type { RequestInfo } from "./request_info.ts";
import { answerInScope, openScope } from "./request_scope.ts";

/** What {@linkcode Auth.run} gives to the application. */
export interface RunContext {
  /** The operations on the session, as promises. */
  auth: ContextAuth;
}

/** The library, set up for one application. */
export interface Auth<Env> {
  /**
   * Answers a request for an endpoint of the library; null for any other path.
   *
   * @throws {ConfigurationError} For the host to report. Other errors of the library are answered.
   */
  handle(request: Request, env: Env, info?: RequestInfo): Promise<Response | null>;
  /**
   * Runs the application's own work with the session of the request, and adds the cookies to its
   * response. Errors of this library that the work throws are answered; all others pass.
   */
  run(
    request: Request,
    env: Env,
    info: RequestInfo | undefined,
    next: (context: RunContext) => Response | Promise<Response>,
  ): Promise<Response>;
  /**
   * Makes a session for a user outside of a request, for tests and for tools. The Set-Cookie lines are
   * written for `baseUrl`, or for https without one.
   *
   * @throws {UserUnavailableError} When there is no such user, or the user is disabled.
   */
  issueSession(userId: string, env: Env): Promise<{ cookies: string[]; session: Session }>;
  /**
   * Refuses a request that would change something and that another site's page made the browser send. Call
   * it before handling unsafe methods of your own; the endpoints of the library do it themselves. As
   * `assertSameOrigin()`, with what the options say about the own address and trusted origins.
   *
   * @throws {CrossSiteRequestError} When the request is refused, which is reported.
   * @throws {RequestError} `HOST_NOT_ALLOWED`, for a host that is not in `allowedHosts`.
   * @throws {ConfigurationError} When nothing says what the own address is.
   */
  assertSameOrigin(request: Request, env: Env, info?: RequestInfo): void;
  /** Users and sessions. */
  storage(env: Env): Storage;
}

/**
 * Sets the library up.
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

  return {
    async handle(request, env, info = {}) {
      const { settings, table } = compiled(env);
      const url = new URL(request.url);
      const path = pathBelow(url.pathname, settings.basePath);
      if (path === null) return null;
      const scope = openScope({ request, env, settings, info, renew: request.method === "GET" });
      const response = await answerInScope(
        scope,
        async () => {
          await scope.store.auth.tenant?.preload();
          const { store } = scope;
          return await dispatch(table, path, { store, requestId: scope.requestId(), url, info });
        },
      );
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
    async run(request, env, info = {}, next) {
      const { settings } = compiled(env);
      const scope = openScope({ request, env, settings, info, renew: true });
      const { auth } = scope.store;
      return await answerInScope(scope, () => {
        const tenant = auth.tenant?.preload();
        const context = { auth: createContextAuth(scope.store) };
        const session = info.session === false ? undefined : auth.preload();
        // What is known at once is not waited for.
        if (tenant === undefined && session === undefined) return next(context);
        return Promise.all([tenant, session]).then(() => next(context));
      });
    },
    async issueSession(userId, env) {
      const { settings } = compiled(env);
      const { token, session, lifetime } = await mintSession(settings, {
        userId,
        userAgent: null,
        waitUntil(work) {
          work.catch((error) => settings.logger.error("background-work-failed", { error }));
        },
      });
      const origin = settings.address.baseOrigin ?? "https://origin.invalid";
      const cookies = sessionCookieLines(
        settings.cookie,
        { token, milliseconds: lifetime },
        () => origin,
      );
      return { cookies, session };
    },
    assertSameOrigin(request, env, info = {}) {
      const { settings } = compiled(env);
      refuseCrossSite(openScope({ request, env, settings, info, renew: false }).store);
    },
    storage(env) {
      return compiled(env).settings.storage;
    },
  };
}
