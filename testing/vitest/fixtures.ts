import type { TestContext, TestContextOptions } from "../context/types.ts";

/** Fixtures of `contextFixtures` for `test.extend`. */
export interface ContextFixtures<Env = Record<string, unknown>> {
  /** A context of the test's own, which ends with the test. */
  ctx: (
    context: object,
    use: (ctx: TestContext<Env>) => Promise<void>,
  ) => Promise<void>;
}

/**
 * Fixtures for `test.extend` of vitest, and of `@framework/testing/deno`: each test that asks for `ctx` gets a
 * context of its own, and none can forget to clean it up.
 *
 * ```ts ignore
 * import { test as base } from "vitest";
 * import type { TestContext } from "@framework/testing";
 * import { contextFixtures } from "@framework/testing/vitest";
 *
 * const test = base.extend<{ ctx: TestContext }>(contextFixtures());
 *
 * test("lists items", async ({ ctx }) => {
 *   const response = await ctx.fetch("/api/items");
 * });
 * ```
 *
 * @param options What `createTestContext` takes.
 *
 * @example Without a runner
 * ```ts
 * import { contextFixtures } from "@framework/testing/vitest";
 * import { deepEqual } from "node:assert/strict";
 *
 * deepEqual(Object.keys(contextFixtures({ clock: 0 })), ["ctx"]);
 * ```
 */
export function contextFixtures<Env = Record<string, unknown>>(
  options: TestContextOptions<Env> = {},
): ContextFixtures<Env> {
  return {
    // vitest reads from the parameter which other fixtures this one needs: none.
    // deno-lint-ignore no-empty-pattern
    ctx: async ({}, use) => {
      // The configuration of vitest imports this module too, and needs none of it.
      const { createTestContext } = await import("../context/test_context.ts");
      const ctx = await createTestContext(options);
      try {
        await use(ctx);
      } finally {
        await ctx.cleanup();
      }
    },
  };
}
