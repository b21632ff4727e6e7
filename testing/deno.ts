/**
 * Implements vitest's test API for `deno test`: map `vitest` to this module in deno.json, and the
 * same test file runs under both runners.
 *
 * ```json
 * { "imports": { "vitest": "npm:@framework/testing@^0.1.0/deno" } }
 * ```
 *
 * Supported: `describe`, `it`, `test` (with `skip`, `only`, `todo`, `each`, `skipIf`, `runIf`),
 * `test.extend`, the four hooks, `expect` with vitest's own matchers, and `vi.fn`, `vi.spyOn` and
 * their resets. Module mocks, fake timers and snapshots need vitest itself.
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

/**
 * Opens a block of tests, with hooks of its own.
 *
 * @example
 * ```ts
 * import { afterEach, beforeEach, describe, expect, it, vi } from "@framework/testing/deno";
 *
 * describe("a list", () => {
 *   let list: string[];
 *   beforeEach(() => {
 *     list = [];
 *     vi.spyOn(Date, "now").mockReturnValue(0);
 *   });
 *   afterEach(() => void vi.restoreAllMocks());
 *
 *   it("begins empty", () => {
 *     expect(list).toEqual([]);
 *   });
 *   it.each([["ada", 3], ["grace", 5]])("takes %s", (name, length) => {
 *     list.push(name);
 *     expect(list[0]).toHaveLength(length);
 *   });
 * });
 *
 * Deno.test("may stand in the same file", () => {
 *   expect(Date.now()).toBeGreaterThan(0);
 * });
 * ```
 */
export const describe: SuiteApi = collector.describe;
/**
 * Registers a test, with a time limit of 5 seconds by default. The runner of the process, `deno
 * test`, runs it.
 *
 * @example Fixtures for several tests with `extend`
 * ```ts
 * import { expect, test as base } from "@framework/testing/deno";
 *
 * const test = base.extend<{ list: string[] }>({
 *   list: async ({}, use) => {
 *     await use(["ada"]);
 *     // What stands here puts it away after the test.
 *   },
 * });
 * test("has one member", ({ list }) => {
 *   expect(list).toHaveLength(1);
 * });
 *
 * Deno.test("gets nothing of it", () => {
 *   expect(test).not.toBe(base);
 * });
 * ```
 */
export const test: TestApi = collector.test;
/**
 * Alias of {@linkcode test}; see {@linkcode describe}.
 */
export const it: TestApi = collector.test;
/**
 * Creates an expectation; a failed one fails the test and shows the difference.
 *
 * @example
 * ```ts
 * import { expect } from "@framework/testing/deno";
 *
 * expect({ id: 1, name: "Ada" }).toMatchObject({ name: "Ada" });
 * await expect(Promise.reject(new Error("no"))).rejects.toThrow("no");
 * ```
 */
export const expect: Expect = collector.expect;
/**
 * Runs before the first test of the block; a function that it returns runs after the last one.
 *
 * @example Set-up that all tests of a block share
 * ```ts ignore
 * beforeAll(async () => {
 *   const context = await createTestContext();
 *   return () => context.cleanup();
 * });
 * ```
 */
export const beforeAll: HookApi = collector.beforeAll;
/**
 * Runs before each test of the block, after those of the blocks around it; a function that it
 * returns runs after
 * the test. See {@linkcode describe}.
 */
export const beforeEach: HookApi = collector.beforeEach;
/** Runs after each test of the block, also after one that failed; see {@linkcode describe}. */
export const afterEach: HookApi = collector.afterEach;
/**
 * Runs after the last test of the block. To clean up what `beforeAll` created, prefer the function
 * that it returns.
 */
export const afterAll: HookApi = collector.afterAll;

export { type Vi, vi } from "./runner/vi.ts";
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
