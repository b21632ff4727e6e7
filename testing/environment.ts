/**
 * Environment for vitest whose `environmentOptions.bindings` become bindings of every test context
 * and mock environment. `defineTestConfig` of `@framework/testing/vitest` resolves the names
 * `"framework"` and `"miniflare"` to it.
 *
 * @example
 * ```ts
 * // vitest.config.ts
 * import { defineTestConfig } from "@framework/testing/vitest";
 * import { match } from "node:assert/strict";
 *
 * const { test } = defineTestConfig({
 *   test: { environment: "framework", environmentOptions: { bindings: { GREETING: "Hello" } } },
 * });
 * match(String(test["environment"]), /environment\.ts$/);
 * ```
 *
 * @module
 */

export { default, type VitestEnvironment } from "./vitest/environment.ts";
