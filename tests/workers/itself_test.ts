// A worker that reaches its own parts without bindings, and is described by an environment of its platform file.
import { createTestContext, type TestContext } from "@framework/testing";
import { exports, waitUntil, withEnv } from "@framework/testing/cloudflare";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("./itself", import.meta.url));
const json = async (ctx: TestContext, path: string) => await (await ctx.fetch(path)).json();

/** Asks again until work after the answer, for which nothing waits in workerd, is done. */
async function until(ask: () => Promise<unknown>, expected: unknown): Promise<unknown> {
  for (let tries = 0;; tries++) {
    const found = await ask();
    if (found === expected || tries === 100) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

for (const runtime of ["process", "workerd"] as const) {
  // The emulator keeps timers and message ports of its own.
  const sanitizers = runtime === "workerd" ? { sanitizeOps: false, sanitizeResources: false } : {};

  Deno.test({
    name: `${runtime}: entrypoints and durable objects by exports, those without a binding too`,
    ...sanitizers,
    fn: async () => {
      await using ctx = await createTestContext({ cwd, runtime });
      assert.deepEqual(await json(ctx, "/exports"), [5, 4, true]);
      assert.deepEqual(await json(ctx, "/objects"), [1, 2, 1, "number", 3, 3]);
      assert.deepEqual(await json(ctx, "/stub"), [1, 2]);
      assert.deepEqual(await json(ctx, "/limits"), [true, true, false, false]);
      assert.deepEqual(await json(ctx, "/place"), ["at home", "at home"]);
    },
  });

  Deno.test({
    name: `${runtime}: methods of a default export that is a class`,
    ...sanitizers,
    fn: async () => {
      await using ctx = await createTestContext({ cwd, runtime, worker: "./src/main_class.ts" });
      assert.equal(await (await ctx.fetch("/")).text(), "main");
      assert.equal(await ctx.entrypoint("default").sum(1, 2, 3), 6);
    },
  });

  Deno.test({
    name: `${runtime}: the bindings of an environment, and of nobody else`,
    ...sanitizers,
    fn: async () => {
      await using ctx = await createTestContext({ cwd, runtime, environment: "staging" });
      assert.deepEqual(await json(ctx, "/place"), ["on stage", "on stage"]);
      assert.deepEqual(await json(ctx, "/self"), [4, 1]);
      assert.deepEqual(await ctx.db.selectFrom("notes").selectAll().execute(), []);
      assert.equal(ctx.env["READS"], undefined);
      assert.equal(await json(ctx, "/later"), "now");
      const cache = ctx.env["CACHE"] as { get(key: string): Promise<string | null> };
      assert.equal(await until(() => cache.get("later"), "yes"), "yes");
      assert.deepEqual(await json(ctx, "/instead"), ["elsewhere", "on stage"]);
    },
  });
}

Deno.test("createTestContext() names the environments that there are", async () => {
  await assert.rejects(createTestContext({ cwd, environment: "stage" }), {
    code: "PROJECT",
    message: /no environment "stage"\. It has: staging/,
  });
  await assert.rejects(
    createTestContext({ handler: () => new Response(), environment: "staging" }),
    { code: "OPTIONS", message: /environment/ },
  );
});

Deno.test("process: what a module takes from the platform without a context says what it lacks", () => {
  assert.throws(() => exports["Prices"], { code: "NO_CONTEXT", message: /exports\.Prices/ });
  assert.throws(() => waitUntil(Promise.resolve()), { code: "NO_CONTEXT" });
  assert.throws(() => withEnv({}, () => 1), { code: "NO_CONTEXT" });
});
