/**
 * Applies the test's clock and mails in the worker that `createTestContext({ runtime: "workerd" })`
 * builds. Applications do not import it.
 *
 * @example Entry of such a worker
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

export { wrapApplication, type WrappedWorker, wrapWorker } from "./context/worker_hooks.ts";
