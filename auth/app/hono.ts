/**
 * Middleware for Hono.
 *
 * @module
 */

import { AuthError, isAuthError } from "../errors.ts";
import type { RequestInfo } from "../core/client_address.ts";
import { isWorkerPlatform } from "../lib/runtime.ts";
import type { Auth } from "../session/context_auth.ts";
import { createDoor } from "./door.ts";
import { isCut } from "./node_exchange.ts";
import { checkAtStart } from "./production.ts";

/** The part of Hono's context that is needed here. */
export interface HonoContext {
  /** The request. */
  readonly req: { readonly raw: Request };
  /** Bindings of a worker, or what a server says about the connection. */
  // deno-lint-ignore no-explicit-any -- the application's own type
  readonly env: any;
  /** Error of a handler, once Hono's error handler has answered it. */
  readonly error?: Error | undefined;
  /** Execution context of a worker; reading it throws elsewhere. */
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void };
  /** The response. */
  res: Response;
}

/** Middleware for `app.use()` of Hono. */
export type HonoMiddleware = (context: HonoContext, next: () => Promise<void>) => Promise<void>;

const MARK = "x-auth-error";

/** Headers that say what an answer is and who may keep it, which are nobody else's, and the library's mark. */
const OWN = /^(?:content-(?!sec)|etag|expires|last-mod|x-auth-error)|-control$/;

/** Gives an answer of the library what middleware in front has set, as CORS and cookies; its own headers stand. */
function withEarlier(answer: Response, { headers: earlier }: Response): Response {
  const response = new Response(answer.body, answer);
  const { headers } = response;
  for (const [name, value] of earlier) {
    if (name === "set-cookie" || name === "vary") headers.append(name, value);
    else if (!headers.has(name) && !OWN.test(name)) headers.set(name, value);
  }
  return response;
}

/**
 * Has Hono's own error handler leave the library's errors alone, which prints what it does not know. It asks an error
 * for its response.
 */
function quietErrorHandler(): void {
  if ("getResponse" in AuthError.prototype) return;
  Object.defineProperty(AuthError.prototype, "getResponse", {
    configurable: true,
    value: () => new Response(null, { status: 500, headers: { [MARK]: "1" } }),
  });
}

/** The application's environment, and the connection: of a worker or a test its bindings, on a server those of the process. */
function hostOf({ env, req }: HonoContext): { env?: unknown; clientAddress?: string } {
  if (isWorkerPlatform()) return { env }; // it gets the address from its platform
  const { incoming, remoteAddr, requestIP } = Object(env);
  const isServer = incoming ?? remoteAddr ?? requestIP ?? Object.keys(Object(env)).length === 0;
  // @hono/node-server, Deno, Bun.
  const clientAddress = incoming?.socket?.remoteAddress ?? remoteAddr?.hostname ??
    env?.requestIP?.(req.raw)?.address;
  return { env: isServer ? undefined : env, clientAddress };
}

/** Has what goes on behind the answer keep a worker alive. A server waits for such work when it ends. */
function waitingOf(context: HonoContext): RequestInfo {
  try {
    const { executionCtx } = context;
    return { waitUntil: (work) => executionCtx.waitUntil(work) };
  } catch {
    return {};
  }
}

/**
 * The middleware for Hono: it answers everything below `/auth`, and puts the session around all other routes, in which
 * `getUser()`, `requireAuth()` and the like know the request. What they throw is answered, unless the application's own
 * `app.onError()` does it. Headers of middleware in front of it, such as `cors()`, are on its answers too, where they
 * have none of that name themselves; `Vary` and cookies are added.
 *
 * The address of the connection is that of @hono/node-server, `Deno.serve`, Bun or the workers' platform. The options
 * of `createAuth((env) => …)` are made from the bindings of a worker, and on servers from the variables of the process.
 *
 * With `NODE_ENV=production` on a server, whatever is missing is said when this is called.
 *
 * @param auth What `createAuth()` returned.
 * @throws {ConfigurationError} In production, for wrong options and without `baseUrl` or `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, requireAuth } from "@framework/auth";
 * import { honoAuth } from "@framework/auth/hono";
 * import { Hono } from "hono";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const app = new Hono();
 * app.use(honoAuth(auth)); // before all that asks who is signed in
 * app.get("/dashboard", (c) => {
 *   const { name, email } = requireAuth();
 *   return c.text(`Hello ${name ?? email}`);
 * });
 *
 * const response = await app.request("http://localhost/dashboard");
 * equal(response.headers.get("location"), "http://localhost/login?callbackUrl=%2Fdashboard");
 * ```
 */
export function honoAuth<Env>(auth: Auth<Env>): HonoMiddleware {
  checkAtStart(auth);
  quietErrorHandler();
  const enter = createDoor(auth);
  return async (context, next) => {
    // On workers `env` has bindings, of whatever name.
    if (!isWorkerPlatform() && isCut(context.env?.incoming)) {
      context.res = new Response("Too many headers", { status: 431 });
      return;
    }
    const { env, clientAddress } = hostOf(context);
    let isPassed = false;
    const response = await enter(context.req.raw, env as Env, {
      ...waitingOf(context),
      clientAddress,
      async next() {
        await next();
        // One that no handler of the application has answered.
        if (isAuthError(context.error) && context.res.headers.has(MARK)) throw context.error;
        isPassed = true;
        return context.res;
      },
    });
    const answer = isPassed ? response : withEarlier(response, context.res);
    // Else Hono puts headers of the old response over those of the new one.
    (context as { res: unknown }).res = undefined;
    context.res = answer;
  };
}
