/**
 * Script of pages with a `Form` of `@framework/cli/form`. `framework build` bundles it; do not
 * import it directly.
 *
 * @example
 * ```ts
 * import { enhanceForms } from "@framework/cli/client/form-script";
 * import { throws } from "node:assert/strict";
 *
 * throws(() => enhanceForms(), TypeError); // this is no browser
 * ```
 *
 * @module
 */
export { enhanceForms } from "./client/form_script.ts";
