/**
 * Clock and mails of the test in the worker that `createTestContext({ runtime: "workerd" })`
 * builds. No application imports it.
 *
 * @example What the entry of such a worker does
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { wrapApplication } from "@framework/testing/worker";
 * import { equal } from "node:assert/strict";
 *
 * const application = wrapApplication(createApplication)({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [],
 * });
 * equal(typeof application.worker.fetch, "function");
 * ```
 *
 * @module
 */

export { wrapApplication } from "./context/worker_hooks.ts";
