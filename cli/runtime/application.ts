import {
  assertSameOrigin,
  type Auth,
  type ContextAuth,
  type Logger,
  RequestError,
  type RequestInfo,
} from "@framework/auth";
import { composeAuth } from "@framework/auth/convention";
import type { SqlDatabase } from "@framework/auth/storage";
import { createContext } from "./context.ts";
import { answerError, type ErrorListener } from "./errors.ts";
import { type AppManifest, checkManifest, type ManifestRoute } from "./manifest.ts";
import { allowedMethods, isUnsafe } from "./methods.ts";
import { runMiddleware } from "./middleware.ts";
import { handlePage } from "./page.ts";
import { finishResponse } from "./response_headers.ts";
import { logError } from "./log.ts";
import { handleRoute, optionsResponse } from "./route.ts";
import { createRouter, type Match } from "./router.ts";
import { signedOut } from "./signed_out.ts";
import { redirectTrailingSlash } from "./trailing_slash.ts";
import type { Middleware } from "./types.ts";

/** What the platform hands to a worker besides request and environment. */
export interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

/** The worker's default export. */
export interface Worker {
  fetch(request: Request, env: object, ctx?: ExecutionContext): Promise<Response>;
}

/** An application, ready to answer. */
export interface Application {
  worker: Worker;
  /** The application's authentication; null without `app/auth`. */
  auth: Auth<unknown> | null;
}

/** Replaceable parts of an application. */
export interface ApplicationOptions {
  /** Milliseconds since 1970, for everything that expires. Default: `Date.now`. */
  now?: () => number;
  /** Hears of every unexpected error, after which the response is a 500. Default: one line in the log. */
  onError?: ErrorListener;
  /** Where sign-ins, refused requests and failures of the storage are reported. Default: `console`. */
  logger?: Logger;
}

/** Pages of these names, wherever they stand, are the application's own instead of the authentication's. */
const authPages = new Set(["signin", "signout", "error", "verify-request"]);

interface Ask {
  request: Request;
  env: Record<string, unknown>;
  requestId: string;
  waitUntil(work: Promise<unknown>): void;
}

/**
 * Makes the worker of an application.
 *
 * @param manifest The application's files, imported; `framework build` and `framework dev` generate it.
 * @param options Replaceable parts.
 * @throws {TypeError} When a file lacks the export that its name promises; the message names the file.
 * @example
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import assert from "node:assert/strict";
 *
 * const { worker } = createApplication({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [{
 *     kind: "route",
 *     pattern: "/api/hello/:name",
 *     file: "app/api/hello/[name]/route.ts",
 *     module: { GET: (_request: Request, { params }: { params: { name: string } }) => params },
 *     layouts: [],
 *     middleware: [],
 *   }],
 * });
 *
 * const response = await worker.fetch(new Request("http://localhost/api/hello/Ada"), {});
 * assert.deepEqual(await response.json(), { name: "Ada" });
 * ```
 */
export function createApplication(
  manifest: AppManifest,
  options: ApplicationOptions = {},
): Application {
  checkManifest(manifest);
  const { dev } = manifest;
  const onError = options.onError ?? logError;
  const match = createRouter(manifest.routes);
  const auth = manifest.auth && composeAuth({
    ...manifest.auth,
    database: (env) => (env as Record<string, SqlDatabase | undefined>)[manifest.database],
    logger: options.logger ?? console,
    ...(options.now ? { now: options.now } : {}),
  });

  async function fetch(
    request: Request,
    env: object,
    ctx?: ExecutionContext,
  ): Promise<Response> {
    const requestId = crypto.randomUUID();
    const ask: Ask = {
      request,
      env: env as Record<string, unknown>,
      requestId,
      waitUntil: (work) => ctx?.waitUntil(work),
    };
    let response: Response;
    try {
      response = await answer(ask);
    } catch (error) {
      response = answerError(error, { request, requestId, kind: "page", dev, onError });
    }
    return request.method === "HEAD" ? new Response(null, response) : response;
  }

  async function answer(ask: Ask): Promise<Response> {
    const { request, env, waitUntil, requestId } = ask;
    const found = match(new URL(request.url).pathname);
    if (auth && !isOwnAuthPage(request, found)) {
      const answered = await auth.handle(request, env, {
        waitUntil,
        requestId,
        renderPage: (url, status) => renderPage(ask, url, status),
      });
      if (answered) return answered;
    }
    const redirect = redirectTrailingSlash(request, (path) => match(path) !== null);
    if (redirect) return redirect;
    if (found) return await answerMatched(ask, found);
    throw new RequestError("Not found", { code: "NOT_FOUND" });
  }

  async function answerMatched(ask: Ask, found: Match<ManifestRoute>): Promise<Response> {
    const { request } = ask;
    try {
      const methods = allowedMethods(found.route);
      if (!methods.includes(request.method)) {
        throw new RequestError(undefined, {
          code: "METHOD_NOT_ALLOWED",
          allow: methods.join(", "),
        });
      }
      if (isUnsafe(request.method)) {
        assertSameOrigin(request, { ownOrigin: new URL(request.url).origin });
      }
      return await run(ask, found);
    } catch (error) {
      return finish(ask, found.route, error);
    }
  }

  function run(ask: Ask, found: Match<ManifestRoute>): Promise<Response> {
    const { request, env, waitUntil, requestId } = ask;
    if (!auth) return handle(ask, found, signedOut);
    const session = readsSession(request, found.route);
    const info: RequestInfo = { waitUntil, requestId, session };
    return auth.run(request, env, info, (context) => handle(ask, found, context.auth));
  }

  async function handle(
    ask: Ask,
    { route, params }: Match<ManifestRoute>,
    contextAuth: ContextAuth,
  ): Promise<Response> {
    const { request, env, requestId, waitUntil } = ask;
    const context = createContext({
      env,
      database: manifest.database,
      auth: contextAuth,
      params,
      requestId,
      waitUntil,
    });
    const chain = route.middleware.map(({ file, module }) => ({
      file,
      run: module["middleware"] as Middleware as never,
    }));
    try {
      const response = await runMiddleware(chain, { request, context }, async (request) => {
        // Inside the chain, so that an outer middleware sees the response of a page that failed.
        try {
          return await handleMatched(route, { request, params, context });
        } catch (error) {
          return finish(ask, route, error);
        }
      });
      return finishResponse(response);
    } catch (error) {
      return finish(ask, route, error);
    }
  }

  function finish(ask: Ask, { kind }: ManifestRoute, error: unknown): Response {
    const { request, requestId } = ask;
    return finishResponse(answerError(error, { request, requestId, kind, dev, onError }));
  }

  /** The application's own page for an address that the authentication wants shown, for example a form after a mistake. */
  async function renderPage(ask: Ask, url: URL, status: number): Promise<Response | null> {
    const found = match(url.pathname);
    if (found?.route.kind !== "page") return null;
    const headers = new Headers(ask.request.headers);
    for (const name of ["content-type", "content-length"]) headers.delete(name);
    const response = await run({ ...ask, request: new Request(url, { headers }) }, found);
    return response.status === 200 && status !== 200
      ? new Response(response.body, { status, headers: response.headers })
      : response;
  }

  return { worker: { fetch }, auth };
}

function handleMatched(
  route: ManifestRoute,
  args: Parameters<typeof handlePage>[1],
): Promise<Response> {
  if (route.kind === "route") return handleRoute(route, args);
  if (args.request.method === "OPTIONS") return Promise.resolve(optionsResponse(route));
  return handlePage(route, args);
}

function readsSession({ method }: Request, { module, layouts }: ManifestRoute): boolean {
  return method !== "OPTIONS" && module["session"] !== false &&
    layouts.every((layout) => layout.module["session"] !== false);
}

/** GET of a sign-in page goes to the application's own, if it has one where the authentication has its own. */
function isOwnAuthPage({ method }: Request, found: Match<ManifestRoute> | null): boolean {
  if (found?.route.kind !== "page" || isUnsafe(method)) return false;
  return authPages.has(found.route.pattern.split("/").at(-1) ?? "");
}
