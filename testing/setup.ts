/**
 * Diverts the outgoing calls of modules that a test file imports, and reports the test contexts that it has not cleaned
 * up when it ends. `defineTestConfig` of `@framework/testing/vitest` adds it to vitest's `setupFiles`; elsewhere it does
 * nothing.
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
import { divertFetch } from "./context/outgoing.ts";
import { isInWorker } from "./context/pool.ts";

const inPool = isInWorker();
// Set by vitest, which a project need not have; in a worker this is loaded by its pool alone.
const inVitest = process.env["VITEST"] !== undefined;

// Not ended: modules that keep the global `fetch` may be imported before any context is there.
if (inVitest || inPool) divertFetch();
// The pool restarts for every file.
if (inVitest && !inPool) (await import("vitest")).afterAll(reportForgotten);
