/**
 * Gives `createTestContext` access to the application in the worker pool. `defineTestConfig` of
 * `@framework/testing/vitest` adds it to the worker that it builds; applications do not import it.
 *
 * @example Entry of such a worker
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { wrapApplication } from "@framework/testing/pool";
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

export { wrapApplication } from "./context/pool_hooks.ts";
