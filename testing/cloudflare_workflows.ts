/**
 * Stands in for `cloudflare:workflows` in an application that runs in process. `createTestContext`
 * installs it.
 *
 * @example
 * ```ts
 * import { NonRetryableError } from "@framework/testing/cloudflare-workflows"; // "cloudflare:workflows"
 * import { equal } from "node:assert/strict";
 *
 * equal(new NonRetryableError("No such order").name, "NonRetryableError");
 * ```
 *
 * @module
 */

export { NonRetryableError } from "./platform/cloudflare_workflows.ts";
