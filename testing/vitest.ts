/**
 * Configuration of vitest for an application built with the framework.
 *
 * @example
 * ```ts
 * import { defineTestConfig } from "@framework/testing/vitest";
 * import { equal } from "node:assert/strict";
 *
 * // The default export of vitest.config.ts
 * const config = defineTestConfig({ test: { include: ["tests/**"] } });
 * equal(typeof config.test, "object");
 * ```
 *
 * @module
 */

export { type ContextFixtures, contextFixtures } from "./vitest/fixtures.ts";
export { defineTestConfig, type TestConfig, type TestConfigInput } from "./vitest/config.ts";
