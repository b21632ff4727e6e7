import assert from "node:assert/strict";
import { withFixtures } from "./fixtures.ts";
import type { TestContext, TestFunction } from "./test_api.ts";

const CONTEXT = { task: { name: "t" } } as unknown as TestContext;
const run = async (fixtures: Record<string, unknown>, fn: unknown): Promise<void> => {
  await withFixtures(fixtures, fn as TestFunction)(CONTEXT);
};

Deno.test("withFixtures() makes what the parameter names, and what that needs", async () => {
  const log: string[] = [];
  const fixtures = {
    plain: 7,
    // deno-lint-ignore no-empty-pattern
    inner: async ({}, use: (value: string) => Promise<void>) => {
      log.push("inner made");
      await use("inner");
      log.push("inner over");
    },
    outer: async (
      { inner }: { inner: string },
      use: (value: string) => Promise<void>,
    ) => {
      log.push(`outer made of ${inner}`);
      await use("outer");
      log.push("outer over");
    },
    unused: () => log.push("unused"),
  };
  await run(fixtures, ({ outer, plain, task }: Record<string, unknown>) => {
    log.push(`test with ${outer} and ${plain} in ${(task as { name: string }).name}`);
  });
  assert.deepEqual(log, [
    "inner made",
    "outer made of inner",
    "test with outer and 7 in t",
    "outer over",
    "inner over",
  ]);
});

Deno.test("withFixtures() puts fixtures away when the test fails, and rejects with its error", async () => {
  const log: string[] = [];
  const fixtures = {
    // deno-lint-ignore no-empty-pattern
    thing: async ({}, use: (value: number) => Promise<void>) => {
      await use(1);
      log.push("over");
    },
  };
  const fails = ({ thing }: { thing: number }) => Promise.reject(new RangeError(`${thing}`));
  await assert.rejects(run(fixtures, fails), RangeError);
  const throws = ({ thing }: { thing: number }) => {
    throw new RangeError(`${thing}`);
  };
  await assert.rejects(run(fixtures, throws), RangeError);
  assert.deepEqual(log, ["over", "over"]);
});

Deno.test("withFixtures() makes automatic fixtures for every test", async () => {
  const log: string[] = [];
  // deno-lint-ignore no-empty-pattern
  const every = async ({}, use: (value: number) => Promise<void>) => {
    log.push("made");
    await use(1);
  };
  await run({ every: [every, { auto: true }] }, () => {});
  await run({ every: [every, { auto: false }] }, () => {});
  assert.deepEqual(log, ["made"]);
});

Deno.test("withFixtures() says which fixture never called use()", async () => {
  await assert.rejects(
    run({ thing: () => {} }, ({ thing }: { thing: unknown }) => thing),
    { message: /"thing" ended without calling use/ },
  );
});
