import { type ContextAuth, RequestError } from "@framework/auth";
import { isPrefetch } from "@framework/auth/convention";
import { refusalOf } from "@framework/auth/middleware";
import type { AppAssets } from "../client/assets.ts";
import { createContext } from "./context.ts";
import { createCookieJar } from "./cookies.ts";
import { answerFailure, renderLateError } from "./error_page.ts";
import type { ErrorListener } from "./errors.ts";
import { takeBody } from "./body_limit.ts";
import { createLoad, loaderArgs, type PageRequest, type RouteArgs } from "./loaders.ts";
import type { InputReader } from "./schema.ts";
import type { ManifestRoute } from "./manifest.ts";
import { type NamedMiddleware, runMiddleware } from "./middleware.ts";
import { handlePage } from "./page.ts";
import { readSearch } from "./render.ts";
import { runWithContext } from "./request_context.ts";
import type { SpeculationRules } from "./prefetch.ts";
import { createSecurity, finishResponse } from "./response_headers.ts";
import { handleRoute, optionsResponse } from "./route.ts";
import type { Match } from "./router.ts";
import { explainMissingAuth } from "./missing_auth.ts";

/** Constant of builds in which nothing names cookies or flash messages; else it is not there. */
declare const FRAMEWORK_WITHOUT_COOKIES: true | undefined;

/** One request. */
export interface Ask {
  /** The request; once a page or route answers, the one that it is given, with a limited body. */
  request: Request;
  env: Record<string, unknown>;
  requestId: string;
  waitUntil(work: Promise<unknown>): void;
}

/** Route that answers: a page, a route, or the application's own "not found". */
export type AnsweringRoute = Omit<ManifestRoute, "kind"> & {
  kind: ManifestRoute["kind"] | "unknown";
};

/** Settings that all requests of one application share. */
export interface AnswerSettings {
  /** Name of the database binding. */
  database: string;
  dev: boolean;
  onError: ErrorListener;
  /** Pages that browsers may load ahead of a visit. */
  readonly rules: SpeculationRules;
  /** Addresses of built scripts and stylesheets. */
  readonly assets: AppAssets;
  /** Reader of inputs; undefined when no file exports a schema. */
  input: InputReader | undefined;
}

/** Options for answering a request. */
export interface AnswerOptions {
  settings: AnswerSettings;
  /** Authentication of the request. */
  auth: ContextAuth;
}

/** Runs a route with its middleware. Errors become a response too. */
export async function answerRoute(
  ask: Ask,
  { route, params }: Match<AnsweringRoute>,
  { settings, auth }: AnswerOptions,
): Promise<Response> {
  const { request, env, waitUntil } = ask;
  const { database, dev } = settings;
  const told = (error: unknown): unknown => explainMissingAuth(error, auth);
  const onError: ErrorListener = (error, about) => settings.onError(told(error), about);
  const jar = typeof FRAMEWORK_WITHOUT_COOKIES === "undefined" ? createCookieJar(request) : null;
  const context = createContext({
    env,
    database,
    auth,
    params,
    jar,
    waitUntil,
    isPrefetch: isPrefetch(request),
    get requestId() {
      return ask.requestId;
    },
  });
  const security = createSecurity(settings);
  const kind = route.kind === "route" ? "route" as const : "page" as const;
  const situation = {
    request,
    kind,
    dev,
    onError,
    get requestId() {
      return ask.requestId;
    },
  };
  const pages = route.errorPages ?? [];

  /** Opens a page's loaders, and those of an error page that may replace it. */
  function openPage(args: RouteArgs): PageRequest {
    const searchParams = readSearch(args.request.url);
    const forLoaders = loaderArgs({ ...args, searchParams });
    const load = createLoad(forLoaders);
    const late = {
      report: (error: unknown) => onError(error, { request, requestId: ask.requestId }),
      render: (error: unknown) =>
        renderLateError(told(error), situation, { pages, args: forLoaders, load }),
    };
    return { args: forLoaders, load, security, late, settings };
  }

  let page: PageRequest | undefined;
  const fail = (error: unknown): Promise<Response> =>
    answerFailure(told(error), situation, {
      pages,
      ...page ?? openPage({ request, params, context }),
    });
  async function answer(request: Request): Promise<Response> {
    const args = { request, params, context };
    // Inside the chain, so that outer middleware sees the response of a failed page.
    try {
      if (request !== ask.request) args.request = takeBody(request, route.module);
      // Of a request without one the body is where it was.
      if (args.request.body !== null) ask.request = args.request;
      if (route.kind === "route") return await handleRoute(route, args, settings.input);
      page = openPage(args);
      const { searchParams } = page.args;
      return await handle(route, { ...page, args: { ...args, searchParams } });
    } catch (error) {
      page ??= openPage(args);
      return await fail(error);
    }
  }
  /**
   * Renders a refusal of authMiddleware(), which returns a plain response for applications without
   * pages.
   */
  function showRefusal(middleware: NamedMiddleware["run"]): NamedMiddleware["run"] {
    return async (...given) => {
      const response = await middleware(...given);
      const refusal = refusalOf(response);
      return refusal === null ? response : await fail(refusal);
    };
  }
  function finish(response: Response): Response {
    const finished = finishResponse(response, security);
    return jar ? jar.finish(finished) : finished;
  }
  return await runWithContext(context, async () => {
    try {
      ask.request = takeBody(request, route.module);
      const chain = route.middleware.map(({ file, module }): NamedMiddleware => ({
        file,
        run: showRefusal(module["middleware"] as NamedMiddleware["run"]),
      }));
      const response = await runMiddleware(chain, { request: ask.request, context }, answer);
      return finish(response);
    } catch (error) {
      return finish(await fail(error));
    }
  });
}

function handle(
  route: AnsweringRoute,
  page: PageRequest,
): Promise<Response> | Response {
  const { kind } = route;
  if (kind === "unknown") throw new RequestError("Not found", { code: "NOT_FOUND" });
  if (page.args.request.method === "OPTIONS") return optionsResponse(route);
  return handlePage(route, page);
}
