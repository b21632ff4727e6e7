import { type ContextAuth, RequestError } from "@framework/auth";
import { createContext } from "./context.ts";
import { answerFailure, renderLateError } from "./error_page.ts";
import type { ErrorListener } from "./errors.ts";
import { createLoad, loaderArgs, type PageArgs, type PageRequest } from "./loaded.ts";
import type { ManifestRoute } from "./manifest.ts";
import { runMiddleware } from "./middleware.ts";
import { handlePage } from "./page.ts";
import { runWithContext } from "./request_context.ts";
import { createSecurity, finishResponse } from "./response_headers.ts";
import { handleRoute, optionsResponse } from "./route.ts";
import type { Match } from "./router.ts";
import type { Middleware } from "./types.ts";

/** One request. */
export interface Ask {
  request: Request;
  env: Record<string, unknown>;
  requestId: string;
  waitUntil(work: Promise<unknown>): void;
}

/** What answers: a page, a route, or nothing, which is the application's own "not found". */
export type AnsweringRoute = Omit<ManifestRoute, "kind"> & {
  kind: ManifestRoute["kind"] | "unknown";
};

/** What one application has in common for all of its requests, and who asks. */
export interface AnswerOptions {
  /** Name of the database binding. */
  database: string;
  dev: boolean;
  onError: ErrorListener;
  auth: ContextAuth;
}

/** Runs a route with its middleware. Whatever they throw becomes a response too. */
export async function answerRoute(
  ask: Ask,
  { route, params }: Match<AnsweringRoute>,
  options: AnswerOptions,
): Promise<Response> {
  const { request, env, requestId, waitUntil } = ask;
  const { database, auth, dev, onError } = options;
  const context = createContext({ env, database, auth, params, requestId, waitUntil });
  const security = createSecurity();
  const kind = route.kind === "route" ? "route" as const : "page" as const;
  const situation = { request, requestId, kind, dev, onError };
  const pages = route.errorPages ?? [];

  /** The loaders of a page, and of the error page that may take its place. */
  function openPage(args: PageArgs): PageRequest {
    const forLoaders = loaderArgs(args);
    const late = {
      report: (error: unknown) => onError(error, { request, requestId }),
      render: (error: unknown) => renderLateError(error, situation, { pages, args: forLoaders }),
    };
    return { args: forLoaders, load: createLoad(forLoaders), security, late };
  }

  let page = openPage({ request, params, context });
  const fail = (error: unknown): Promise<Response> =>
    answerFailure(error, situation, { pages, ...page });
  const chain = route.middleware.map(({ file, module }) => ({
    file,
    run: module["middleware"] as Middleware as never,
  }));
  return await runWithContext(context, async () => {
    try {
      const response = await runMiddleware(chain, { request, context }, async (request) => {
        page = openPage({ request, params, context });
        // Inside the chain, so that an outer middleware sees the response of a page that failed.
        try {
          return await handle(route, { ...page, args: { request, params, context } });
        } catch (error) {
          return await fail(error);
        }
      });
      return finishResponse(response, security);
    } catch (error) {
      return finishResponse(await fail(error), security);
    }
  });
}

function handle(
  route: AnsweringRoute,
  page: PageRequest,
): Promise<Response> | Response {
  const { kind } = route;
  if (kind === "unknown") throw new RequestError("Not found", { code: "NOT_FOUND" });
  if (kind === "route") return handleRoute({ ...route, kind }, page.args);
  if (page.args.request.method === "OPTIONS") return optionsResponse({ ...route, kind });
  return handlePage(route, page);
}
