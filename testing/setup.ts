/**
 * Reports the test contexts that a test file has not cleaned up when it ends. `defineTestConfig` of
 * `@framework/testing/vitest` adds it to vitest's `setupFiles`; elsewhere it does nothing.
 *
 * @example
 * ```ts
 * import { defineTestConfig } from "@framework/testing/vitest";
 * import { match } from "node:assert/strict";
 *
 * const { test } = defineTestConfig({ test: { setupFiles: ["./tests/setup.ts"] } });
 * match(String(test["setupFiles"]), /testing.setup\.ts,\.\/tests\/setup\.ts$/);
 * ```
 *
 * @module
 */

import process from "node:process";
import { reportForgotten } from "./context/forgotten_contexts.ts";

// Set by vitest, which a project need not have.
if (process.env["VITEST"] !== undefined) (await import("vitest")).afterAll(reportForgotten);
