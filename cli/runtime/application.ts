import {
  assertSameOrigin,
  type Auth,
  type ContextAuth,
  type Logger,
  RequestError,
  type RequestInfo,
} from "@framework/auth";
import {
  composeAuth,
  type DeliverMail,
  drainBody,
  refusePrefetch,
} from "@framework/auth/convention";
import type { SqlDatabase } from "@framework/auth/storage";
import type { AppAssets } from "../client/assets.ts";
import { registerClient } from "../client/islands.ts";
import { answerRoute, type Ask } from "./answer.ts";
import { readRest } from "./body_limit.ts";
import { createQueueHandler, createScheduledHandler } from "./background.ts";
import { answerError, type ErrorListener, logError } from "./errors.ts";
import { type AppManifest, checkManifest, type ManifestRoute } from "./manifest.ts";
import {
  allowedMethods,
  isSentByScript,
  isUnsafe,
  needsSameOrigin,
  redirectTrailingSlash,
} from "./methods.ts";
import { createSpeculationRules, mayAskAhead, type SpeculationRules } from "./prefetch.ts";
import { createSecurity, finishResponse } from "./response_headers.ts";
import { createRouter, type Match } from "./router.ts";
import { signedOut, withoutAuth } from "./missing_auth.ts";
import type { ExecutionContext, MessageBatch, ScheduledController } from "./types.ts";

/** The worker's default export. */
export interface Worker {
  /**
   * Answers a request. Never rejects: an error becomes an error page or JSON, depending on what the
   * client accepts.
   */
  fetch(request: Request, env: object, ctx?: ExecutionContext): Promise<Response>;
  /** Handles queue messages; present only when the application has a file in `app/queues`. */
  queue?(batch: MessageBatch, env: object, ctx?: ExecutionContext): Promise<void>;
  /** Runs cron jobs; present only when the application has a file in `app/cron`. */
  scheduled?(controller: ScheduledController, env: object, ctx?: ExecutionContext): Promise<void>;
  /**
   * Checks before the first request what the environment has for the authentication; present only with `app/auth`.
   *
   * @throws {ConfigurationError} For a wrong option.
   */
  check?(env: object): void;
}

/** An application, ready to answer requests. */
export interface Application {
  /** Default export of the built file. */
  worker: Worker;
  /** The application's authentication; null without `app/auth`. */
  auth: Auth<unknown> | null;
}

/** Replaceable parts of an application. */
export interface ApplicationOptions {
  /** Milliseconds since 1970, for everything that expires. Default: `Date.now`. */
  now?: () => number;
  /** Called with every unexpected error, after which the response is a 500. Default: logs one line. */
  onError?: ErrorListener;
  /**
   * Logger of sign-ins, refused requests and failures of the storage. Default: `console`.
   */
  logger?: Logger;
  /**
   * Delivers mails. Default: the providers' own `sendVerificationRequest`.
   */
  deliver?: DeliverMail;
  /** Sets the authentication up from the files of `app/auth`. Default: `composeAuth` of `@framework/auth/convention`. */
  composeAuth?: typeof composeAuth;
}

/** Set by the build of an application without `app/auth`, whose worker then has no code for it. */
declare const FRAMEWORK_WITHOUT_AUTH: true | undefined;

/** Names of pages with which an application replaces the built-in ones of the authentication. */
const authPages = new Set(["signin", "signout", "error", "verify-request"]);

/**
 * Creates the worker of an application.
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
  const auth = typeof FRAMEWORK_WITHOUT_AUTH === "undefined" ? setUpAuth(manifest, options) : null;

  for (const { file, module } of manifest.clients ?? []) registerClient(file, module);
  let assets: AppAssets | undefined;
  let rules: SpeculationRules | undefined;
  const settings = {
    database: manifest.database,
    dev,
    onError,
    input: manifest.input,
    get rules() {
      return rules ??= createSpeculationRules(manifest);
    },
    get assets() {
      return assets ??= manifest.assets?.() ?? { scripts: {}, styles: {} };
    },
  };
  const unknownRoute = {
    kind: "unknown" as const,
    pattern: "",
    file: "",
    module: {},
    layouts: [],
    middleware: [],
    errorPages: manifest.errorPages ?? [],
  };

  async function fetch(
    request: Request,
    env: object,
    ctx?: ExecutionContext,
  ): Promise<Response> {
    let requestId: string | undefined;
    const ask: Ask = {
      request,
      env: env as Record<string, unknown>,
      // Most request ids are never used. The platform's own, which no client can send there, its log has too.
      get requestId() {
        return requestId ??= request.headers.get("cf-ray") ?? crypto.randomUUID();
      },
      waitUntil: (work) => ctx?.waitUntil(work),
    };
    let response: Response;
    try {
      response = await answer(ask);
    } catch (error) {
      const { requestId } = ask;
      response = answerError(error, { request, requestId, kind: "page", dev, onError });
    }
    await drainBody(ask.request, response);
    await readRest(ask.request, response);
    if (isSentByScript(request)) return forScript(response);
    return request.method === "HEAD" ? new Response(null, response) : response;
  }

  async function answer(ask: Ask): Promise<Response> {
    const { request, env } = ask;
    const pathname = pathOf(request.url);
    const found = match(pathname);
    if (auth && !isOwnAuthPage(request, found)) {
      let answered: Response | null;
      try {
        answered = await auth.handle(request, env, {
          ...infoOf(ask),
          renderPage: (url, status) => renderPage(ask, url, status),
        });
      } catch (error) {
        if (!found || isUnsafe(request.method) || canBeSetUp(auth, env)) throw error;
        // Pages without a user do not need authentication; code that asks for one gets the error.
        onError(error, { request, requestId: ask.requestId });
        return await answerMatched(ask, found, withoutAuth(error));
      }
      if (answered) return answered;
    }
    if (pathname.endsWith("/") && pathname !== "/") {
      const redirect = redirectTrailingSlash(request, (path) => match(path) !== null);
      if (redirect) return redirect;
    }
    if (found) return await answerMatched(ask, found);
    return settings.rules.answer(request, pathname) ?? await answerUnknown(ask);
  }

  async function answerUnknown(ask: Ask): Promise<Response> {
    const error = new RequestError("Not found", { code: "NOT_FOUND" });
    if (unknownRoute.errorPages.length === 0) throw error;
    const found = { route: unknownRoute, params: {} };
    if (!auth) return await answerRoute(ask, found, { settings, auth: signedOut });
    // A page may ask for the user; a request without a cookie has no session to read.
    const headers = new Headers(ask.request.headers);
    for (const name of ["cookie", "authorization"]) headers.delete(name);
    const visitor = new Request(ask.request.url, { headers });
    const { env, waitUntil, requestId } = ask;
    return await auth.run(
      visitor,
      env,
      { waitUntil, requestId },
      (context) => answerRoute(ask, found, { settings, auth: context.auth }),
    );
  }

  async function answerMatched(
    ask: Ask,
    found: Match<ManifestRoute>,
    standIn?: ContextAuth,
  ): Promise<Response> {
    const { request } = ask;
    try {
      const methods = allowedMethods(found.route);
      if (!methods.includes(request.method)) {
        throw new RequestError(undefined, {
          code: "METHOD_NOT_ALLOWED",
          allow: methods.join(", "),
        });
      }
      if (needsSameOrigin(request)) refuseCrossSite(ask);
      if (standIn) return await answerRoute(ask, found, { settings, auth: standIn });
      return await run(ask, found);
    } catch (error) {
      const { kind } = found.route;
      const { requestId } = ask;
      const plain = answerError(error, { request, requestId, kind, dev, onError });
      return finishResponse(plain, createSecurity(settings));
    }
  }

  function refuseCrossSite(ask: Ask): void {
    const { request, env } = ask;
    if (auth) auth.assertSameOrigin(request, env, infoOf(ask));
    else assertSameOrigin(request, { ownOrigin: new URL(request.url).origin });
  }

  function run(ask: Ask, found: Match<ManifestRoute>): Promise<Response> {
    const { request, env } = ask;
    const asking = mayAskAhead(request, found.route);
    if (asking === "nobody") return Promise.resolve(refusePrefetch());
    if (!auth) return answerRoute(ask, found, { settings, auth: signedOut });
    const session = readsSession(request, found.route);
    return auth.run(
      request,
      env,
      { ...infoOf(ask), session },
      async (context) => {
        const isRefused = asking === "visitors" && session === true &&
          await context.auth.getUser() !== null;
        return isRefused
          ? refusePrefetch()
          : await answerRoute(ask, found, { settings, auth: context.auth });
      },
    );
  }

  /**
   * Renders the application's own page for an address that the authentication wants to show, for
   * example a form after a mistake.
   */
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

  const worker: Worker = {
    fetch,
    ...(auth ? { check: (env) => void auth.storage(env) } : {}),
    ...(manifest.queues
      ? { queue: createQueueHandler(manifest.queues, manifest.database, auth ?? undefined) }
      : {}),
    ...(manifest.cron
      ? { scheduled: createScheduledHandler(manifest.cron, manifest.database, auth ?? undefined) }
      : {}),
  };
  return { worker, auth };
}

function setUpAuth(
  { auth, database }: AppManifest,
  options: ApplicationOptions,
): Auth<unknown> | null {
  return auth && (options.composeAuth ?? composeAuth)({
    ...auth,
    database: (env) => (env as Record<string, SqlDatabase | undefined>)[database],
    logger: options.logger ?? console,
    ...(options.now ? { now: options.now } : {}),
    ...(options.deliver ? { deliver: options.deliver } : {}),
  });
}

/**
 * Returns the answer to a form that a script sends: a script cannot see where a redirect leads, and following it would
 * load the next page twice. Status 307 and 308 send the form again, which the browser does itself.
 */
function forScript(response: Response): Response {
  if (![301, 302, 303].includes(response.status)) return response;
  const headers = new Headers(response.headers);
  // What was loaded ahead is of before the form.
  headers.set("clear-site-data", '"prefetchCache", "prerenderCache"');
  return new Response(null, { status: 204, headers });
}

/**
 * Returns true when the options are valid in this environment; the request was then refused for
 * another reason.
 */
function canBeSetUp(auth: Auth<unknown>, env: unknown): boolean {
  try {
    auth.storage(env);
    return true;
  } catch {
    return false;
  }
}

/** Returns `URL.pathname` of a valid URL in a fraction of the time. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}

/**
 * Returns request information for the authentication. The platform overwrites the header, whatever
 * the client sent.
 */
function infoOf({ request, requestId, waitUntil }: Ask): RequestInfo {
  const clientAddress = request.headers.get("cf-connecting-ip");
  return { requestId, waitUntil, ...(clientAddress !== null && { clientAddress }) };
}

/**
 * Returns true when a request needs its session, or why it has none. OPTIONS needs none unless middleware, which may
 * ask for the user, sees it.
 */
function readsSession({ method }: Request, route: ManifestRoute): boolean | string {
  const { module, layouts, middleware } = route;
  if (method === "OPTIONS" && middleware.length === 0 && !module["OPTIONS"]) return false;
  const without = [route, ...layouts].find(({ module }) => module["session"] === false);
  return without === undefined ||
    `${without.file} exports session = false, for all that answers the request`;
}

/**
 * Returns true for GET of a sign-in page that the application provides in place of the built-in
 * one.
 */
function isOwnAuthPage({ method }: Request, found: Match<ManifestRoute> | null): boolean {
  if (found?.route.kind !== "page" || isUnsafe(method)) return false;
  return authPages.has(found.route.pattern.split("/").at(-1) ?? "");
}
