/**
 * Renders static pages in the worker that `framework build` bundles for them. Applications do not
 * import it; they export `prerender` from a page.
 *
 * @example Worker of such a build
 * ```ts
 * import { wrapApplication } from "@framework/cli/prerender";
 * import { createApplication } from "@framework/cli/runtime";
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
export { wrapApplication } from "./runtime/prerender.ts";
