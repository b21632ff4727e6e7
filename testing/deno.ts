/**
 * vitest's test API for `deno test`: map `vitest` to this module in deno.json, and one test file
 * runs under both runners.
 *
 * ```json
 * { "imports": { "vitest": "npm:@framework/testing@^0.1.0/deno" } }
 * ```
 *
 * What there is: `describe`, `it`, `test` (with `skip`, `only`, `todo`, `each`, `skipIf`, `runIf`),
 * `test.extend`, the four hooks, `expect` with vitest's own matchers, and `vi.fn`, `vi.spyOn` and their resets.
 * Module mocks, fake timers and snapshots need vitest itself.
 *
 * @example
 * ```ts
 * import { expect, vi } from "@framework/testing/deno";
 *
 * const send = vi.fn().mockResolvedValue({ ok: true });
 * await expect(send("ada@example.com")).resolves.toEqual({ ok: true });
 * expect(send).toHaveBeenCalledWith(expect.stringContaining("@"));
 * ```
 *
 * @module
 */

import { type Collector, createCollector } from "./runner/collect.ts";
import type { Expect } from "./runner/expect.ts";
import type { HookApi, SuiteApi, TestApi } from "./runner/test_api.ts";

const collector: Collector = createCollector();

/** Opens a block of tests. */
export const describe: SuiteApi = collector.describe;
/** Registers a test. */
export const test: TestApi = collector.test;
/** Registers a test. */
export const it: TestApi = collector.test;
/** Begins an expectation; a failed one fails the test and shows the difference. */
export const expect: Expect = collector.expect;
/** Runs before the first test of the block; a function that it returns runs after the last one. */
export const beforeAll: HookApi = collector.beforeAll;
/** Runs before each test of the block; a function that it returns runs after the test. */
export const beforeEach: HookApi = collector.beforeEach;
/** Runs after each test of the block. */
export const afterEach: HookApi = collector.afterEach;
/** Runs after the last test of the block. */
export const afterAll: HookApi = collector.afterAll;

export { vi } from "./runner/vi.ts";
export type { Vi } from "./runner/vi.ts";
export type { Expect } from "./runner/expect.ts";
export type {
  Each,
  EachArgs,
  Fixture,
  Fixtures,
  HookApi,
  SuiteApi,
  SuiteCall,
  TestApi,
  TestCall,
  TestContext,
  TestFunction,
  TestOptions,
} from "./runner/test_api.ts";
export type { Hook } from "./runner/suite.ts";
