/**
 * Project configuration, for import in `framework.config.ts`. The command itself is the program
 * `framework` (`@framework/cli/main`); code for a built worker is in `@framework/cli/runtime`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineConfig } from "@framework/cli";
 *
 * export default defineConfig({ database: "DB", dev: { port: 8787 } });
 * assert.equal(typeof defineConfig, "function");
 * ```
 *
 * @module
 */
export {
  type DatabaseConfig,
  defineConfig,
  type Dialect,
  type FrameworkConfig,
} from "./config/define_config.ts";
