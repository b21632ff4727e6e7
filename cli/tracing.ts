/**
 * Spans of an application: requests, middleware, loaders, actions, pages, routes, queues, cron jobs, and what
 * authentication does in them. Applications do not import it; they write `tracing: true` into `framework.config.ts`.
 *
 * @example
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { traceApplication } from "@framework/cli/tracing";
 * import { equal } from "node:assert/strict";
 *
 * const { worker } = traceApplication(createApplication)({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [],
 * });
 * equal((await worker.fetch(new Request("http://localhost/"), {})).status, 404);
 * ```
 *
 * @module
 */
export { traceApplication, type TraceApplicationOptions } from "./runtime/trace_application.ts";
