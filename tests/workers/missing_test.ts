// Bindings of which there is no double: a test gives a fake, and is told so without one.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";

const PLATFORM = `{
  "name": "missing",
  "main": "worker.js",
  "compatibility_date": "2026-07-30",
  "ai": { "binding": "AI" },
  "vectorize": [{ "binding": "INDEX", "index_name": "index" }],
  "browser": { "binding": "BROWSER" },
  "kv_namespaces": [{ "binding": "CACHE", "id": "cache" }]
}`;

const WORKER = `export default {
  async fetch(request, env) {
    await env.CACHE.put("asked", "yes");
    switch (new URL(request.url).pathname) {
      case "/AI": return Response.json(await env.AI.run("model", { prompt: "Hello" }));
      case "/INDEX": return Response.json(await env.INDEX.query([1, 2]));
      case "/BROWSER": return await env.BROWSER.fetch("https://page.example/");
      default: return Response.json([await env.CACHE.get("asked"), Object.keys(env).sort()]);
    }
  },
};`;

async function withProject(work: (cwd: string) => Promise<void>): Promise<void> {
  const cwd = join(repositoryRoot, "tests", "output", `missing_${crypto.randomUUID()}`);
  await Deno.mkdir(cwd, { recursive: true });
  try {
    await Deno.writeTextFile(join(cwd, "wrangler.jsonc"), PLATFORM);
    await Deno.writeTextFile(join(cwd, "worker.js"), WORKER);
    await work(cwd);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

Deno.test({
  name: "a fake stands for a binding without a double",
  // Modules of the project are imported.
  sanitizeOps: false,
  fn: () =>
    withProject(async (cwd) => {
      const env = {
        AI: { run: (model: string) => Promise.resolve({ model, response: "Hi" }) },
        INDEX: { query: () => Promise.resolve({ matches: [] }) },
        BROWSER: { fetch: () => Promise.resolve(new Response("a page")) },
      };
      await using ctx = await createTestContext({ cwd, env });
      assert.deepEqual(await (await ctx.fetch("/AI")).json(), { model: "model", response: "Hi" });
      assert.deepEqual(await (await ctx.fetch("/INDEX")).json(), { matches: [] });
      assert.equal(await (await ctx.fetch("/BROWSER")).text(), "a page");
    }),
});

// In process first: what the emulator leaves behind would count for the tests after it.
for (const runtime of ["process", "workerd"] as const) {
  Deno.test({
    name: `a binding without a double says which fake to give, ${runtime}`,
    // The emulator keeps sockets and timers of its own.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () =>
      withProject(async (cwd) => {
        await using ctx = await createTestContext({ cwd, runtime });
        for (const [name, kind] of [["AI", "ai"], ["INDEX", "vectorize"], ["BROWSER", "browser"]]) {
          const message = new RegExp(
            `env\\.${name} is declared under "${kind}".*createTestContext\\(\\{ env: \\{ ${name}: fake \\} \\}\\)`,
          );
          await assert.rejects(ctx.fetch(`/${name}`), { message });
        }
        const names = ["AI", "BROWSER", "CACHE", "INDEX"];
        const [asked, found] = await (await ctx.fetch("/")).json();
        assert.equal(asked, "yes");
        // The worker sees the binding to the test, too.
        assert.deepEqual(found.filter((name: string) => name !== "FRAMEWORK_TEST"), names);
      }),
  });
}
