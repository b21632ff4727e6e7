/**
 * Spans of an application: around each request, its middleware, loaders, actions, pages and routes, queues and cron
 * jobs. It is put around `createApplication()` and around what files export, so that an application without it has no
 * byte of it.
 *
 * @module
 */

import {
  createTracer,
  type Span,
  type SpanAttribute,
  trace,
  traceAuth,
  traceDatabase,
  traceMails,
  type Tracer,
} from "@framework/auth/tracing";
import { composeAuth } from "@framework/auth/convention";
import type { createApplication, Worker } from "./application.ts";
import type { AppManifest, ManifestModule, ManifestRoute } from "./manifest.ts";
import { routeMethods } from "./manifest.ts";
import { createRouter } from "./router.ts";
import { createServerTiming } from "./server_timing.ts";

type Work = (...args: unknown[]) => unknown;

/** Options of {@linkcode traceApplication}. */
export interface TraceApplicationOptions {
  /**
   * Makes the spans; `tracing` of `cloudflare:workers` does, where it is there. Default: the tracing channel
   * "framework".
   */
  tracer?: Tracer | undefined;
  /** Adds `Server-Timing` to the responses, which everybody can read: for development. Default: false. */
  serverTiming?: boolean;
}

/**
 * Adds spans to the applications that a function creates. The generated entry calls it with `createApplication` when
 * the project has `tracing: true`, and in development.
 *
 * @param create `createApplication`.
 * @param options Where the spans go.
 * @returns The function to call in its place.
 *
 * @example
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { traceApplication } from "@framework/cli/tracing";
 * import assert from "node:assert/strict";
 *
 * const { worker } = traceApplication(createApplication, { serverTiming: true })({
 *   database: "DB",
 *   dev: true,
 *   auth: null,
 *   routes: [{
 *     kind: "route",
 *     pattern: "/hello",
 *     file: "app/hello/route.ts",
 *     module: { GET: () => new Response("Hello") },
 *     layouts: [],
 *     middleware: [],
 *   }],
 * });
 * const response = await worker.fetch(new Request("http://localhost/hello"), {});
 * assert.match(response.headers.get("server-timing") ?? "", /^route;desc="app\/hello\/route\.ts";dur=/);
 * ```
 */
export function traceApplication(
  create: typeof createApplication,
  { tracer = createTracer(), serverTiming = false }: TraceApplicationOptions = {},
): typeof createApplication {
  const timing = serverTiming ? createServerTiming(tracer) : null;
  const used = timing?.tracer ?? tracer;
  return (manifest, options = {}) => {
    const application = create(traceManifest(manifest, used), {
      ...options,
      composeAuth(parts) {
        const deliver = parts.deliver ?? ((_mail, send) => send());
        const auth = composeAuth({
          ...parts,
          database(env) {
            const database = parts.database(env);
            return database && traceDatabase(database, used);
          },
          deliver: traceMails(deliver, used),
        });
        return traceAuth(auth, used);
      },
    });
    const worker = traceWorker(application.worker, manifest.routes, used);
    return {
      ...application,
      worker: timing === null ? worker : { ...worker, fetch: timing.around(worker.fetch) },
    };
  };
}

function traceWorker(
  worker: Worker,
  routes: readonly ManifestRoute[],
  tracer: Tracer,
): Worker {
  const match = createRouter(routes);
  return {
    ...worker,
    fetch(request, env, ctx) {
      const attributes: Record<string, SpanAttribute> = { "http.request.method": request.method };
      const found = match(new URL(request.url).pathname);
      if (found !== null) attributes["http.route"] = found.route.pattern;
      return trace(tracer, "request", attributes, async (span) => {
        const response = await worker.fetch(request, env, ctx);
        span.setAttribute("http.response.status_code", response.status);
        return response;
      });
    },
  };
}

/** The manifest with spans around what its files export. Files that several routes share stay one. */
function traceManifest(manifest: AppManifest, tracer: Tracer): AppManifest {
  const known = new Map<unknown, ManifestModule["module"]>();

  function traceModule<T extends ManifestModule>(one: T, spans: Record<string, string>): T {
    const { file, module } = one;
    let traced = known.get(module);
    if (traced === undefined) {
      traced = { ...module };
      for (const [name, span] of Object.entries(spans)) {
        if (typeof module[name] === "function") {
          traced[name] = traceWork(module[name] as Work, span, file, tracer);
        }
      }
      known.set(module, traced);
    }
    return { ...one, module: traced };
  }

  const layout = <T extends ManifestModule>(one: T): T => traceModule(one, { loader: "loader" });
  const traceErrorPages = (pages: AppManifest["errorPages"]) =>
    pages?.map((page) => ({ ...page, layouts: page.layouts.map(layout) }));
  const route = (one: ManifestRoute): ManifestRoute => {
    const errorPages = traceErrorPages(one.errorPages);
    return {
      ...traceModule(one, one.kind === "page" ? PAGE : ROUTE),
      layouts: one.layouts.map(layout),
      middleware: one.middleware.map((file) => traceModule(file, { middleware: "middleware" })),
      ...errorPages && { errorPages },
    };
  };
  const { queues, cron } = manifest;
  const errorPages = traceErrorPages(manifest.errorPages);
  return {
    ...manifest,
    routes: manifest.routes.map(route),
    ...errorPages && { errorPages },
    ...queues && {
      queues: Object.fromEntries(
        Object.entries(queues).map(([name, file]) => [name, traceModule(file, { queue: "queue" })]),
      ),
    },
    ...cron && { cron: cron.map((file) => traceModule(file, { scheduled: "scheduled" })) },
  };
}

const PAGE: Record<string, string> = { loader: "loader", action: "action", default: "render" };
const ROUTE: Record<string, string> = Object.fromEntries(
  routeMethods.map((method) => [method, "route"]),
);

function traceWork(work: Work, name: string, file: string, tracer: Tracer): Work {
  const attributes = { "code.file.path": file };
  const traced: Work = (...args) =>
    trace(tracer, name, attributes, (span: Span) => {
      const result = work(...args);
      if (result instanceof Response) {
        span.setAttribute("http.response.status_code", result.status);
      }
      return result;
    });
  // A component may carry properties of its own.
  return Object.assign(traced, work);
}
