/**
 * Configuration of vitest for an application built with the framework.
 *
 * ```ts
 * // vitest.config.ts
 * import { defineTestConfig } from "@framework/testing/vitest";
 *
 * export default defineTestConfig();
 * ```
 *
 * @module
 */

export { type ContextFixtures, contextFixtures } from "./vitest/fixtures.ts";
export { defineTestConfig } from "./vitest/config.ts";
export type { TestConfig, TestConfigInput } from "./vitest/config.ts";
