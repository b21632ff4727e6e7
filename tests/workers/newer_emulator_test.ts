// miniflare 5, of which there is a beta: it takes options of another form, which it translates itself.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prerenderPages } from "../../cli/emulator/prerender.ts";
import { createRunner } from "../../cli/emulator/runner.ts";
import { frontHeader } from "../../cli/emulator/shell.ts";
import { localDatabasePath } from "../../cli/migrate/local_database.ts";
import { emulatorOptions } from "../../cli/tools/bundler_and_emulator.ts";
import { inMatrix } from "../support/matrix.ts";
import { exists } from "../../scripts/workspace.ts";
import { copyWorker } from "./copied_worker.ts";
import { NEWER_EMULATOR } from "./generations.ts";
import { CASES } from "./plain_cases.ts";

Deno.test("options are those of miniflare 4, unless the installed one translates them", () => {
  const options = { port: 0, defaultPersistRoot: "/state", workers: [] };
  assert.equal(emulatorOptions({}, options), options);
  const convertV4MiniflareOptions = (given: object) => ({ given });
  assert.deepEqual(emulatorOptions({ convertV4MiniflareOptions }, options), {
    given: { port: 0, resourcePersistencePath: "/state", workers: [] },
  });
});

/** A worker that keeps something in a database, and has one static page. */
const WORKER = `export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/about")) {
      return Response.json({ headers: [], body: "About us", problem: null });
    }
    if (env.DB === undefined) {
      return Response.json({ pages: [{ path: "/about", pattern: "/about" }], problems: [] });
    }
    await env.DB.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER)");
    return new Response("VERSION");
  },
};
`;

if (inMatrix) {
  const { cwd: root, remove } = await copyWorker("plain", {
    miniflare: NEWER_EMULATOR,
    esbuild: "0.28.1",
    hono: "4.13.19",
  });
  Deno.test.afterAll(remove);
  // The emulator keeps timers and message ports of its own.
  const sanitize = { sanitizeOps: false, sanitizeResources: false };
  const settings = {
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
    vars: {},
  };

  Deno.test({
    name: "miniflare 5: static pages are rendered",
    ...sanitize,
    fn: async () => {
      const worker = join(root, "worker.js");
      await writeFile(worker, WORKER);
      const { pages, problems } = await prerenderPages({ root, worker, ...settings });
      assert.deepEqual(problems, []);
      assert.deepEqual(pages.map(({ path, body }) => [path, body]), [["/about", "About us"]]);
    },
  });

  Deno.test({
    name: "miniflare 5: the development server takes up a version, and stores where migrations are",
    ...sanitize,
    fn: async () => {
      const runner = createRunner(() => {});
      const request = {
        ...settings,
        root,
        name: "app",
        d1Databases: { DB: "notes" },
        kvNamespaces: {},
        r2Buckets: {},
        queueProducers: {},
        queueConsumers: {},
        durableObjects: {},
        assets: null,
        assetsRevision: 0,
      };
      try {
        for (const version of ["one", "two"]) {
          const code = WORKER.replace("VERSION", version);
          const worker = { code, map: null, packages: null, modules: [], objects: "" };
          const result = await runner.serve(request, worker);
          assert.ok(result.ok, JSON.stringify(result));
          const headers = { [frontHeader]: result.secret };
          assert.equal(await (await fetch(result.url, { headers })).text(), version);
        }
      } finally {
        await runner.dispose();
      }
      const database = {
        binding: "DB",
        databaseName: "notes",
        databaseId: "notes",
        previewDatabaseId: undefined,
        migrationsDir: undefined,
        migrationsTable: "d1_migrations",
      };
      const platform = { file: join(root, "wrangler.jsonc"), d1Databases: [database] };
      assert.ok(await exists(localDatabasePath(platform, "DB", root)));
    },
  });

  for (const [name, run, options] of CASES) {
    Deno.test({
      name: `miniflare 5: ${name}`,
      ...sanitize,
      fn: async () => {
        await using ctx = await createTestContext({ cwd: root, runtime: "workerd", ...options });
        await run(ctx);
      },
    });
  }
}
