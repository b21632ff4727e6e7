/**
 * The environment for vitest whose `environmentOptions.bindings` are bindings of every test context and mock
 * environment. `defineTestConfig` of `@framework/testing/vitest` puts it in place of the names
 * `"framework"` and `"miniflare"`.
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
