/**
 * The library in the App Router of Next.js.
 *
 * @module
 */

import type { RequestInfo } from "../core/client_address.ts";
import { findRequest, finishResponse } from "../core/request.ts";
import {
  ConfigurationError,
  ForbiddenError,
  HeadersSentError,
  RedirectError,
  UnauthenticatedError,
} from "../errors.ts";
import type { CookiesOut } from "../lib/cookie.ts";
import { processEnvironment, runMode, runWithRequest } from "../lib/runtime.ts";
import { errorResponse } from "../pages/trouble.ts";
import { type Auth, type ContextAuth, createContextAuth } from "../session/context_auth.ts";
import { readAuth } from "../session/read_session.ts";
import { openScope, type RequestScope } from "../session/request_scope.ts";
import {
  type RequireAuthOptions,
  type RequireRecentAuthOptions,
  requireRecentUser,
  requireUser,
} from "../session/require.ts";
import { settingsOf } from "../session/settings_of.ts";
import { isAnswer, refuseForms } from "./door.ts";
import type { User } from "../types/user.ts";

/** The part of the store that `cookies()` of `next/headers` returns. */
export interface NextCookies {
  /** Returns every cookie, with those that this request has set. */
  getAll(): readonly { readonly name: string; readonly value: string }[];
  /** Sets a cookie; it throws where Next.js cannot. */
  // deno-lint-ignore no-explicit-any -- Next.js has overloads
  set(...cookie: any[]): unknown;
}

/** The functions of Next.js that {@linkcode nextAuth} is given, so that it imports nothing of it. */
export interface NextFunctions {
  /** `headers` of `next/headers`. */
  headers(): Promise<Iterable<readonly [string, string]> | Headers>;
  /** `cookies` of `next/headers`. */
  cookies(): Promise<object>;
  /** `redirect` of `next/navigation`, to which `requireAuth()` sends visitors. */
  redirect(location: string): never;
  /** `unauthorized` of `next/navigation`, with `experimental.authInterrupts`. Default: the library's own error. */
  unauthorized?(): never;
  /** `forbidden` of `next/navigation`, with `experimental.authInterrupts`. Default: the library's own error. */
  forbidden?(): never;
  /** `after` of `next/server`, which keeps the process until mails and events are out. Default: they end with it. */
  after?(work: Promise<unknown>): void;
}

/** The path to come back to after a sign-in, which Next.js tells no server component. */
export interface NextReturn {
  /** Path of the page. Default: "/", and in an action the page with its form. */
  returnTo?: string;
}

/** Result of {@linkcode nextAuth} for an application: operations of a request, handlers and `proxy`. */
export interface NextAuth extends Omit<ContextAuth, "requireAuth" | "requireRecentAuth"> {
  /** The exports of `app/auth/[...path]/route.ts`: the endpoints below `/auth`. */
  readonly handlers: Readonly<
    Record<"GET" | "POST" | "PATCH" | "DELETE", (request: Request) => Promise<Response>>
  >;
  /**
   * The export of `proxy.ts`: visitors go to the sign-in page before a page is rendered, and forms of other sites are
   * refused with 403 by the own origin, which is `baseUrl`. An addition to `requireAuth()` in the page, never in its
   * place: a matcher that misses a path guards nothing there.
   */
  proxy(request: Request): Promise<Response | undefined>;
  /**
   * Wraps the handler of a `route.ts`: inside, all operations of the library know the request, and what they throw is
   * answered with a redirect, 401 or 403. Cookies go into its response. Forms of other sites are refused with 403.
   */
  route<Context>(
    handler: (request: Request, context: Context) => Response | Promise<Response>,
  ): (request: Request, context: Context) => Promise<Response>;
  /** Runs operations of the library that need a request, in a server component or an action. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>;
  /** The signed-in user; without one `redirect()` leads to the sign-in page, or it is as the options say. */
  requireAuth(options?: RequireAuthOptions & NextReturn): Promise<User>;
  /** The signed-in user, who proved it of late. */
  requireRecentAuth(options?: RequireRecentAuthOptions & NextReturn): Promise<User>;
}

/** True for the request of an action: by a script, or by a form without one. */
function isAction(headers: Headers): boolean {
  const type = headers.get("content-type") ?? "";
  return headers.has("next-action") ||
    /^(?:multipart\/form-data|application\/x-www-form)/.test(type);
}

/** True where a cookie can be set. It sets none: where Next.js refuses, it does so before it looks at the name. */
function isWritable(jar: NextCookies): boolean {
  const reached = new Error();
  try {
    jar.set({
      get name(): string {
        throw reached;
      },
    });
    return true;
  } catch (error) {
    return error === reached;
  }
}

function assertWritable(jar: NextCookies): void {
  if (isWritable(jar)) return;
  throw new HeadersSentError(
    "Cannot begin, change or end a session in a server component, where Next.js sets no cookie: move the operation " +
      'into a Server Action ("use server") or a Route Handler (route.ts)',
  );
}

/** Hands a `Set-Cookie` line to Next.js, which takes cookies by their parts, and one of a name. */
function setCookie(jar: NextCookies, line: string, { domain }: { domain: string | null }): void {
  const [pair = "", ...rest] = line.split("; ");
  const name = pair.split("=", 1)[0]!;
  const value = pair.slice(name.length + 1);
  const given = Object.fromEntries(rest.map((part) => part.toLowerCase().split("=")));
  // Of the two lines that remove a cookie with a domain the second, of the host alone, would take the place of the first.
  if (value === "" && domain !== null && given.domain === undefined) return;
  jar.set(name, value, {
    path: given.path,
    maxAge: Number(given["max-age"]),
    sameSite: given.samesite,
    httpOnly: "httponly" in given,
    secure: "secure" in given,
    ...given.domain !== undefined && { domain: given.domain },
  });
}

/**
 * The cookies with those that this request has set. Of two with one name Next.js tells one, and nobody knows whose it is:
 * they stay as the browser sent them, so that the library believes neither.
 */
function cookieHeader(sent: string | null, jar: NextCookies): string {
  const pairs = (sent ?? "").split(";");
  const names = pairs.map((pair) => pair.split("=", 1)[0]!.trim());
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  const known = jar.getAll().filter(({ name }) => !isTwice(name.trim()));
  return [
    ...pairs.filter((_, index) => isTwice(names[index]!)),
    ...known.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`),
  ].join(";");
}

/**
 * The library in the App Router: the endpoints for a route handler, and the operations on the session, by promises, for
 * server components, actions and route handlers.
 *
 * In server components nothing is renewed and no row changes; an operation that would set a cookie throws a
 * `HeadersSentError` before it has changed anything. Sessions are renewed when the browser asks `/auth/session`, as
 * `createAuthStore()` does.
 *
 * In a Route Handler outside of `route()` all operations throw a `ConfigurationError`: nothing would keep caches from storing
 * its response.
 *
 * In production the own origin is `baseUrl` and never the `Host` of a request. Next.js tells nobody the address of the
 * connection: `trustedProxies: trustPlatform(…)` of `createAuth()` says where the client's is.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the variables of
 * the process.
 * @param next Functions of Next.js, as the application imports them.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { nextAuth } from "@framework/auth/next";
 * import { equal, rejects } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), baseUrl: "https://app.example" });
 * // In an application: import { cookies, headers } from "next/headers", and redirect from "next/navigation".
 * const headers = () => Promise.resolve(new Headers());
 * const cookies = () => Promise.resolve({ getAll: () => [], set: () => { throw new Error("read-only"); } });
 * const redirect = (location: string): never => { throw new Error(location); };
 * const { getUser, startSession } = nextAuth(auth, { headers, cookies, redirect });
 *
 * equal(await getUser(), null);
 * await rejects(startSession("ada"), /move the operation into a Server Action/);
 * ```
 */
export function nextAuth<Env>(auth: Auth<Env>, next: NextFunctions): NextAuth {
  const env = processEnvironment() as Env;
  const scopes = new WeakMap<object, { given: object; scope: RequestScope }>();
  let isChecked = false;

  function infoOf(): RequestInfo {
    if (!isChecked) {
      // Not when nextAuth() is called: `next build` loads every module, without the variables of the server.
      if (runMode() === "production") assertReady();
      isChecked = true;
    }
    return next.after ? { waitUntil: next.after } : {};
  }

  function assertReady(): void {
    const { address: { baseOrigin, trustedProxies } } = settingsOf(auth, env);
    if (baseOrigin === null) {
      throw new ConfigurationError(
        'Nothing says the address of this application: write baseUrl: "https://app.example" into createAuth(). ' +
          "Behind Next.js it is not taken from requests",
        { field: "baseUrl" },
      );
    }
    if (trustedProxies === null) {
      // deno-lint-ignore no-console -- the only sign of it before somebody guesses at passwords
      console.warn(
        "auth: Next.js tells nobody the client's address, so that sign-ins are limited for each account alone and not " +
          'for each address: write trustedProxies: trustPlatform("vercel") into createAuth(), or ' +
          'trustPlatform({ header: "x-real-ip" }) for a header that your proxy writes anew',
      );
    }
  }

  /** The request in which Next.js calls, opened once; after an action, which may have set cookies, anew. */
  async function currentScope(own?: Request): Promise<RequestScope> {
    const [given, jar] = [await next.headers(), await next.cookies() as NextCookies];
    const known = scopes.get(jar);
    if (known?.given === given) return known.scope;
    const headers = new Headers(given as Headers);
    if (own === undefined && isWritable(jar) && !isAction(headers) && findRequest() === undefined) {
      throw new ConfigurationError(
        "Nothing keeps caches from storing what this Route Handler answers about somebody: write export const GET = " +
          "accounts.route(() => …) in route.ts, with what nextAuth() returned",
      );
    }
    const info = infoOf();
    headers.set("cookie", cookieHeader(headers.get("cookie"), jar));
    const settings = settingsOf(auth, env);
    const base = settings.address.baseOrigin ?? `http://${headers.get("host") ?? "localhost"}`;
    // What has a body is an action's form: its page is in the Referer.
    const { url = new URL("/", base), method = headers.has("content-type") ? "POST" : "GET" } =
      own ?? {};
    const request = new Request(url, { method, headers });
    const cookiesOut: CookiesOut = {
      isOpen: true,
      assertOpen: () => assertWritable(jar),
      set(line) {
        // A cookie that opens nothing any more is removed where that can be; nothing else comes here unasked.
        if (isWritable(jar)) setCookie(jar, line, settings.cookie);
      },
      close: () => [],
    };
    const scope = openScope({ request, env, settings, info, renew: false });
    // A Route Handler has a response of its own, whose headers keep caches from storing it with a cookie.
    if (own === undefined) Object.assign(scope, { cookiesOut });
    scopes.set(jar, { given, scope });
    return scope;
  }

  async function inScope<Result>(
    work: (scope: RequestScope) => Result | Promise<Result>,
    own?: Request,
  ): Promise<Result> {
    const scope = await currentScope(own);
    return await runWithRequest(scope, async () => {
      await Promise.all([scope.auth.tenant?.preload(), scope.auth.preload()]);
      return await work(scope);
    });
  }

  async function within<Result>(
    work: (scope: RequestScope) => Result | Promise<Result>,
  ): Promise<Result> {
    try {
      return await inScope(work);
    } catch (error) {
      if (error instanceof RedirectError) next.redirect(error.location);
      if (error instanceof UnauthenticatedError) next.unauthorized?.();
      if (error instanceof ForbiddenError) next.forbidden?.();
      throw error;
    }
  }

  /** Answers the library's errors that are for the client. */
  async function answering<Answer>(
    request: Request,
    work: () => Promise<Answer>,
  ): Promise<Answer | Response> {
    try {
      return await work();
    } catch (error) {
      if (!isAnswer(error)) throw error;
      return errorResponse(error, request);
    }
  }

  function requirementsOf(scope: RequestScope, returnTo: string | undefined) {
    const { request, auth } = scope;
    if (returnTo === undefined) return { request, auth };
    return { request: new Request(new URL(returnTo, request.url)), auth };
  }

  async function serve(request: Request): Promise<Response> {
    return await auth.handle(request, env, infoOf()) ??
      new Response("There is nothing at this address", { status: 404 });
  }

  const operation =
    <Name extends keyof ContextAuth>(name: Name) => (...values: Parameters<ContextAuth[Name]>) =>
      within((scope) =>
        (createContextAuth(scope)[name] as (...values: unknown[]) => never)(...values)
      );

  return {
    handlers: { GET: serve, POST: serve, PATCH: serve, DELETE: serve },
    proxy: (request) =>
      answering(request, async () => {
        const info = infoOf();
        refuseForms(auth, request, env, info);
        await readAuth(auth, request, env, info).requireAuth();
        return undefined;
      }),
    route: (handler) => (request, context) =>
      answering(request, () => {
        refuseForms(auth, request, env, infoOf());
        return inScope(async (scope) => {
          const { settings } = scope.auth;
          const work = () => handler(request, context);
          const answer = async () => await (settings.strategy.around?.(scope, work) ?? work());
          try {
            return finishResponse(await answering(request, answer), scope);
          } catch (error) {
            // What Next.js answers, such as its redirect(), has the cookies of its own store alone.
            const jar = await next.cookies() as NextCookies;
            for (const line of scope.cookiesOut.close()) setCookie(jar, line, settings.cookie);
            throw error;
          }
        }, request);
      }),
    run: (work) => within(work),
    requireAuth: ({ returnTo, ...options } = {}) =>
      within(async (scope) =>
        requireUser(await scope.auth.load(), options, requirementsOf(scope, returnTo))
      ),
    requireRecentAuth: ({ returnTo, ...options } = {}) =>
      within(async (scope) =>
        requireRecentUser(await scope.auth.load(), options, requirementsOf(scope, returnTo))
      ),
    getUser: operation("getUser"),
    getSession: operation("getSession"),
    isAuthenticated: operation("isAuthenticated"),
    hasRole: operation("hasRole"),
    requireRole: operation("requireRole"),
    hasPermission: operation("hasPermission"),
    requirePermission: operation("requirePermission"),
    tenant: operation("tenant"),
    startSession: operation("startSession"),
    endSession: operation("endSession"),
  };
}
