// What a worker keeps in the variables of its modules, in process.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("./plain", import.meta.url));

Deno.test("process: work after the answer is waited for", async () => {
  await using ctx = await createTestContext({ cwd });
  assert.equal(await (await ctx.fetch("/later")).text(), "now");
  await ctx.settled();
  const cache = ctx.env["CACHE"] as { get(key: string): Promise<string | null> };
  assert.equal(await cache.get("later"), "yes");
});

Deno.test("variables of modules are shared by contexts, unless each loads the modules anew", async () => {
  const ask = async (fresh: { fresh?: "module" }) => {
    await using ctx = await createTestContext({ cwd, ...fresh });
    return await (await ctx.fetch("/requests")).json();
  };
  const first = await ask({});
  assert.equal(await ask({}), first + 1);
  assert.deepEqual([await ask({ fresh: "module" }), await ask({ fresh: "module" })], [1, 1]);
});

Deno.test("a binding that a variable of a module keeps is refused in the next context, and the error says what to do", async () => {
  const ask = async (fresh: { fresh?: "module" }) => {
    await using ctx = await createTestContext({ cwd, ...fresh });
    return await (await ctx.fetch("/kept")).json();
  };
  assert.equal(await ask({}), 0);
  await assert.rejects(ask({}), { code: "KEPT_BINDING", message: /fresh: "module"/ });
  assert.deepEqual([await ask({ fresh: "module" }), await ask({ fresh: "module" })], [0, 0]);
});

Deno.test("a module that is loaded anew reads the variables of the test", async () => {
  const env = { GREETING: "Good morning" };
  const text = async (fresh: { fresh?: "module" }) => {
    await using ctx = await createTestContext({ cwd, env, ...fresh });
    return await (await ctx.fetch("/")).text();
  };
  assert.equal(await text({}), "Hello Good morning a plain worker");
  assert.equal(await text({ fresh: "module" }), "Good morning Good morning a plain worker");
});

Deno.test("contexts in parallel have their own data, also where a module keeps a binding", async () => {
  const counts = await Promise.all([1, 2, 3].map(async (count) => {
    await using ctx = await createTestContext({ cwd });
    for (let note = 0; note < count; note++) {
      await ctx.fetch("/notes", { method: "POST", body: `${note}` });
    }
    return (await (await ctx.fetch("/notes")).json()).length;
  }));
  assert.deepEqual(counts, [1, 2, 3]);
});

Deno.test("createTestContext() says which worker it lacks, and what does not go together", async () => {
  await assert.rejects(createTestContext({ cwd, worker: "./src/none.ts" }), {
    code: "PROJECT",
    message: /src\/none\.ts does not exist/,
  });
  const handler = () => new Response();
  await assert.rejects(createTestContext({ handler, worker: "./src/index.ts" }), {
    code: "OPTIONS",
    message: /worker.*handler/,
  });
  await assert.rejects(createTestContext({ handler, runtime: "workerd" }), { code: "RUNTIME" });
  await assert.rejects(createTestContext({ cwd, worker: { default: handler }, fresh: "module" }), {
    code: "OPTIONS",
  });
  await using ctx = await createTestContext({ cwd, handler });
  await assert.rejects(ctx.queue("mails", [{ body: 1 }]), { code: "NO_HANDLER", message: /queue/ });
  assert.throws(() => ctx.entrypoint("None"), { code: "NO_ENTRYPOINT", message: /None/ });
});
