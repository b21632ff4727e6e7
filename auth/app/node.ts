/**
 * Handler for Node's own servers, Express and Connect.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestStore } from "../core/contracts.ts";
import { isAnswerable, respondToError } from "../core/error_response.ts";
import { addSessionHeaders, currentRequest, TARGETED } from "../core/request.ts";
import { processEnvironment, runWithRequest, waitUntil } from "../lib/runtime.ts";
import { HeadersSentError, OutsideRequestError } from "../errors.ts";
import type { CookiesOut } from "../lib/cookie.ts";
import type { Middleware } from "../session/auth_middleware.ts";
import type { Auth, RunContext } from "../session/context_auth.ts";
import { settingsOf } from "../session/settings_of.ts";
import { isAnswer } from "./door.ts";
import {
  beforeHeaders,
  endpointBody,
  putHeaders,
  refusalOf,
  send,
  targetOf,
  toRequest,
} from "./node_exchange.ts";
import { checkAtStart, sayBaseUrl } from "./production.ts";

export { beforeHeaders, endpointBody, send, toRequest } from "./node_exchange.ts";

/** The application's own work, of `node:http`. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Handler of a request: a listener of `node:http`, or middleware of Express and Connect. */
export interface NodeAuth {
  /** Answers what is below `/auth`; for everything else reads the session, and hands the request on. */
  (
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void>;
  /**
   * Middleware of Express and Connect, behind this handler, of `authMiddleware()`: `app.use("/admin", accounts.protect(…))`.
   *
   * @throws {OutsideRequestError} When the handler did not see the request before.
   */
  readonly protect: (
    middleware: Middleware,
  ) => (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => Promise<void>;
  /** Error handler of Express and Connect, the last of all: it answers what `requireAuth()` and its like throw. */
  readonly errors: (
    error: unknown,
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => void;
}

/**
 * Keeps the headers of the session, whatever the application writes afterwards. At the last moment, since there a cache
 * must not store what carries a cookie, nor give anybody what depends on who asked (CVE-2025-48947); the application's own
 * Cache-Control stands where there is no cookie, as in {@linkcode finishResponse}.
 */
function keepHeaders(
  response: Response,
  { auth: { settings } }: RequestStore,
  outgoing: ServerResponse,
): void {
  const cookies = response.headers.getSetCookie();
  if (outgoing.hasHeader("cache-control")) response.headers.delete("cache-control");
  putHeaders(response, outgoing);
  beforeHeaders(outgoing, () => {
    const headers = new Headers();
    for (const name of ["cache-control", "vary", ...TARGETED, "set-cookie"]) {
      for (const value of [outgoing.getHeader(name) ?? []].flat().map(String)) {
        if (!cookies.includes(value)) headers.append(name, value);
      }
      outgoing.removeHeader(name);
    }
    addSessionHeaders(headers, cookies, settings);
    // Written already, as it stands.
    headers.delete("clear-site-data");
    putHeaders({ headers }, outgoing);
  });
}

/** A request that says what its client prefers, also where what came is no request of the web platform. */
function preferenceOf({ headers }: IncomingMessage): Request {
  const { accept = "*/*", "content-type": type = "" } = headers;
  return new Request("http://localhost/", { headers: { accept, "content-type": type } });
}

/** The way in of a server of Node, for whatever stands on it. */
export interface NodeDoor {
  /**
   * Reads the session of a request, and writes its headers. Returns the response of an endpoint or a refusal, to be sent in
   * place of all further work; null for a request that goes on.
   *
   * @throws What is nobody's answer.
   */
  enter(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response | null>;
  /** Does work with the request at hand. */
  within<T>(incoming: IncomingMessage, work: () => T): T;
  /** The response of a guard; null for who passes. */
  guard(middleware: Middleware, incoming: IncomingMessage): Promise<Response | null>;
  /** The response to an error of the library that was thrown in such work; null for whatever is somebody else's. */
  refusal(thrown: unknown, incoming: IncomingMessage): Promise<Response | null>;
}

/** Opens the way in of a server of Node. */
export function createNodeDoor<Env>(auth: Auth<Env>): NodeDoor {
  checkAtStart(auth);
  const env = processEnvironment() as Env;
  const entered = new WeakMap<IncomingMessage, { store: RequestStore; context: RunContext }>();
  /** The headers are written before the application's own work begins. */
  const written: CookiesOut = {
    isOpen: false,
    assertOpen(): never {
      throw new HeadersSentError(
        "Cannot begin or end a session in a handler: nodeAuth() and fastifyAuth() write its headers before. Have the " +
          "browser sign in and out below /auth",
      );
    },
    set() {},
    close: () => [],
  };

  return {
    async enter(incoming, outgoing) {
      const info = { clientAddress: incoming.socket.remoteAddress, waitUntil };
      const { basePath } = settingsOf(auth, env);
      const path = targetOf(incoming).split("?")[0]!;
      const isOwn = path === basePath || path.startsWith(`${basePath}/`);
      const body = isOwn ? endpointBody(incoming) : null;
      let request: Request;
      try {
        request = toRequest(incoming, outgoing, body);
      } catch {
        // What is no request of the web platform: TRACE, or a whole address in the place of a path; or not the whole of one.
        return refusalOf(incoming);
      }
      const own = await auth.handle(request, env, info);
      sayBaseUrl(auth, env, request.url);
      if (own !== null) return own;
      let store: RequestStore | undefined;
      const response = await auth.run(request, env, info, async (context) => {
        // Asked here, so that the headers keep caches from storing what is about somebody.
        await context.auth.getUser();
        store = currentRequest("nodeAuth");
        entered.set(incoming, { store, context });
        return new Response();
      });
      if (store === undefined || !response.ok) return response;
      keepHeaders(response, store, outgoing);
      store.cookiesOut = written;
      return null;
    },
    within(incoming, work) {
      const found = entered.get(incoming);
      return found === undefined ? work() : runWithRequest(found.store, work);
    },
    async guard(middleware, incoming) {
      const found = entered.get(incoming);
      if (found === undefined) {
        throw new OutsideRequestError("Nobody has read the session: let the handler see it first");
      }
      const passed = new Response();
      const { store, context } = found;
      const response = await middleware(store.request, () => Promise.resolve(passed), context);
      return response === passed ? null : response;
    },
    async refusal(thrown, incoming) {
      const found = entered.get(incoming);
      if (found === undefined) {
        return isAnswer(thrown) ? respondToError(thrown, preferenceOf(incoming), {}) : null;
      }
      if (!isAnswerable(thrown)) return null;
      const { store } = found;
      const { strategy, logger, pages: { theme } } = store.auth.settings;
      const error = await strategy.refusalFor?.(store, thrown) ?? thrown;
      const requestId = store.requestId();
      if (thrown.status >= 500) {
        logger.error("request-failed", { requestId, code: thrown.code, error });
      }
      return runWithRequest(
        store,
        () => respondToError(error, store.request, { requestId, theme }),
      );
    },
  };
}

/**
 * The handler for `node:http`, `node:https`, Express and Connect: it answers everything below `/auth`, and reads the
 * session for all other requests, in which `getUser()`, `requireAuth()` and the like know the request.
 *
 * The headers of the session are written before the application's own work begins: sign in and out through `/auth`.
 * In Express it may stand before body parsers, whose bodies then reach the handlers alone, or after them: a form or JSON
 * that was parsed is taken as it is.
 *
 * With `NODE_ENV=production`, whatever is missing is said when this is called.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the variables of
 * the process.
 * @param listener The application's own work, for `createServer()`; what it throws of the library's errors is answered.
 * Default: the `next` of Express and Connect, or 404.
 * @throws {ConfigurationError} In production, for wrong options and without `baseUrl` or `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser } from "@framework/auth";
 * import { nodeAuth } from "@framework/auth/node";
 * import { equal } from "node:assert/strict";
 * import { createServer } from "node:http";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const server = createServer(nodeAuth(auth, (request, response) => {
 *   response.setHeader("content-type", "text/plain; charset=utf-8"); // else a name could be a script
 *   response.end(`Hello ${getUser()?.name ?? "stranger"}`);
 * }));
 * await new Promise<void>((resolve) => server.listen(0, resolve));
 * const { port } = server.address() as { port: number };
 * equal(await (await fetch(`http://localhost:${port}/`)).text(), "Hello stranger");
 * server.close();
 * ```
 *
 * @example Express
 * ```ts ignore
 * const accounts = nodeAuth(auth);
 * app.use(accounts, express.json());
 * app.get("/account", (_req, res) => {
 *   const { name, email } = requireAuth();
 *   res.type("text").send(`Hello ${name ?? email}`); // as HTML, a name could be a script
 * });
 * app.use(accounts.errors); // the last
 * ```
 */
export function nodeAuth<Env>(auth: Auth<Env>, listener?: NodeListener): NodeAuth {
  const { enter, within, guard, refusal } = createNodeDoor(auth);

  /** Answers an error of the library; whatever else is somebody else's. */
  async function refuse(
    thrown: unknown,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<boolean> {
    const response = outgoing.headersSent ? null : await refusal(thrown, incoming);
    if (response !== null) await send(response, outgoing);
    return response !== null;
  }

  const handler = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const response = await enter(incoming, outgoing);
      if (response !== null) return await send(response, outgoing);
      const work = listener ? () => listener(incoming, outgoing) : next;
      if (work !== undefined) await within(incoming, () => work());
      else await send(new Response(null, { status: 404 }), outgoing);
    } catch (error) {
      if (await refuse(error, incoming, outgoing)) return;
      if (next !== undefined) return next(error);
      const requestId = crypto.randomUUID();
      // deno-lint-ignore no-console -- nobody else would tell of it
      console.error(`Request ${requestId}:`, error);
      if (outgoing.headersSent) return void outgoing.destroy();
      await send(respondToError(error, preferenceOf(incoming), { requestId }), outgoing);
    }
  };

  return Object.assign(handler, {
    protect(middleware: Middleware): ReturnType<NodeAuth["protect"]> {
      return async (incoming, outgoing, next) => {
        const response = await guard(middleware, incoming);
        if (response === null) next();
        else await send(response, outgoing);
      };
    },
    errors(
      error: unknown,
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      next: (error?: unknown) => void,
    ) {
      refuse(error, incoming, outgoing).then((done) => done || next(error), next);
    },
  });
}
