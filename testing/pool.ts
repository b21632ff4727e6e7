/**
 * Way to the application in the worker pool, which `defineTestConfig` of
 * `@framework/testing/vitest` puts into the worker that it builds and `createTestContext` uses. No
 * application imports it.
 *
 * @example What the entry of such a worker does
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
