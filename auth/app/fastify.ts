/**
 * Plugin for Fastify.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthError } from "../errors.ts";
import type { Middleware } from "../session/auth_middleware.ts";
import type { Auth } from "../session/context_auth.ts";
import { createNodeDoor } from "./node.ts";
import { send } from "./node_exchange.ts";

/** The part of Fastify's request that is needed here. */
export interface FastifyAuthRequest {
  /** The request of Node. */
  readonly raw: IncomingMessage;
}

/** The part of Fastify's reply that is needed here. */
export interface FastifyAuthReply {
  /** The response of Node. */
  readonly raw: ServerResponse;
  /** Sends a response of the web platform. */
  send(response: Response): unknown;
  /** Sets a header. */
  header(name: string, value: string): unknown;
  /** Leaves the answer to whoever calls it. */
  hijack(): unknown;
  /** Headers that the application has set. */
  getHeaders(): Record<string, number | string | string[] | undefined>;
}

/** The part of Fastify's instance that is needed here. */
export interface FastifyAuthHost {
  /** Adds a hook. */
  // deno-lint-ignore no-explicit-any -- each hook has a form of its own
  addHook(name: any, hook: (...given: any[]) => any): unknown;
}

/** Plugin for `app.register()` of Fastify. */
export interface FastifyAuth {
  /** Answers what is below `/auth`; for everything else reads the session, and hands the request on. */
  (app: FastifyAuthHost, options: unknown, done: (error?: Error) => void): void;
  /**
   * Hook `preHandler` of `authMiddleware()`: `app.get("/admin", { preHandler: accounts.protect(…) }, …)`.
   *
   * @throws {OutsideRequestError} When the plugin is not registered where the route is.
   */
  readonly protect: (
    middleware: Middleware,
  ) => (request: FastifyAuthRequest, reply: FastifyAuthReply) => Promise<unknown>;
  /**
   * Error handler for `app.setErrorHandler()`: answers errors of the library with its pages, or with JSON for who prefers that,
   * and leaves all others to Fastify. Without it Fastify itself answers them, with their status and as JSON.
   */
  readonly errors: (
    error: unknown,
    request: FastifyAuthRequest,
    reply: FastifyAuthReply,
  ) => Promise<unknown>;
}

/** True for an answer that is no failure to a browser: the redirect to the sign-in, and pages that stand for it. */
function leadsOn(thrown: AuthError & { toResponse?: unknown }, { headers }: Response): boolean {
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  return thrown.code === "REDIRECT" || typeof thrown.toResponse === "function" && !isJson;
}

/**
 * The plugin for Fastify 5: it answers everything below `/auth`, and reads the session for all other requests, in whose hooks
 * and handlers `getUser()`, `requireAuth()` and the like know the request. What they throw goes through Fastify's error
 * handling, with the statuses 401 and 403; a redirect to the sign-in page is sent at once, past the hooks `onSend`.
 *
 * Register it at the root: behind plugins whose headers the endpoints are to have, and before those whose hooks ask who is
 * signed in. The session is read before Fastify reads the body, and its headers are written before the application's own work
 * begins: sign in and out through `/auth`.
 *
 * The client's address is that of the connection, unless `trustedProxies` of `createAuth()` says otherwise: Fastify's own
 * `trustProxy` has no part in it.
 *
 * With `NODE_ENV=production`, whatever is missing is said when this is called.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the variables of
 * the process.
 * @throws {ConfigurationError} In production, for wrong options and without `baseUrl` or `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { fastifyAuth } from "@framework/auth/node";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const hooks: string[] = [];
 * // In an application: app.register(fastifyAuth(auth)).
 * fastifyAuth(auth)({ addHook: (name: string) => hooks.push(name) }, {}, () => {});
 * equal(hooks.join(" "), "onRequest preValidation onError");
 * ```
 *
 * @example Fastify
 * ```ts ignore
 * const accounts = fastifyAuth(auth);
 * const app = fastify();
 * app.register(accounts);
 * app.setErrorHandler(accounts.errors); // pages for 401 and 403, in the place of JSON
 * app.get("/account", () => `Hello ${requireAuth().name}`);
 * app.get("/admin", { preHandler: async () => requireRole("admin") }, () => "Secret");
 * ```
 */
export function fastifyAuth<Env>(auth: Auth<Env>): FastifyAuth {
  const { enter, within, guard, refusal } = createNodeDoor(auth);

  function plugin(app: FastifyAuthHost, _options: unknown, done: (error?: Error) => void): void {
    type Next = (error?: unknown) => void;

    function onRequest({ raw }: FastifyAuthRequest, reply: FastifyAuthReply, next: Next): void {
      enter(raw, reply.raw).then((own) => {
        if (own === null) within(raw, next);
        else reply.send(own);
      }, next);
    }

    // What reads a body calls back from its connection, which knows of no request.
    function preValidation({ raw }: FastifyAuthRequest, _reply: unknown, next: Next): void {
      within(raw, next);
    }

    function onError(
      { raw }: FastifyAuthRequest,
      reply: FastifyAuthReply,
      error: unknown,
      next: Next,
    ): void {
      refusal(error, raw).then(async (response) => {
        const isOwn = response !== null && leadsOn(error as AuthError, response);
        // What the handler had said to caches was not about a refusal.
        if (response !== null) reply.header("cache-control", "no-store");
        const later = response?.headers.get("retry-after");
        if (later) reply.header("retry-after", later);
        if (!isOwn || reply.raw.headersSent) return next();
        reply.hijack();
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value);
        }
        await send(response, reply.raw);
      }, next);
    }

    app.addHook("onRequest", onRequest);
    app.addHook("preValidation", preValidation);
    app.addHook("onError", onError);
    done();
  }

  return Object.assign(plugin, {
    // For the whole application, not for what is registered beside it.
    [Symbol.for("skip-override")]: true,
    [Symbol.for("fastify.display-name")]: "@framework/auth",
    protect(middleware: Middleware): ReturnType<FastifyAuth["protect"]> {
      return async ({ raw }, reply) => {
        const response = await guard(middleware, raw);
        return response === null ? undefined : reply.send(response);
      };
    },
    async errors(error: unknown, { raw }: FastifyAuthRequest, reply: FastifyAuthReply) {
      const response = await refusal(error, raw);
      if (response === null) throw error;
      return reply.send(response);
    },
  });
}
