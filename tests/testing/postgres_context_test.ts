// createTestContext() of a project whose database is PostgreSQL.
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { postgresSchema } from "@framework/auth/postgres";
import { assertGuarded, createTestContext } from "@framework/testing";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();

const files = {
  "package.json": JSON.stringify({ name: "fixture", private: true, type: "module" }),
  "framework.config.ts": `export default { database: { dialect: "postgres" } };`,
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
    kv_namespaces: [{ binding: "KV", id: "kv" }],
  }),
  "migrations/0001_auth.sql": postgresSchema.up,
  "migrations/0002_notes.sql":
    "CREATE TABLE notes (id BIGINT GENERATED ALWAYS AS IDENTITY, owner TEXT, tags TEXT[] NOT NULL);",
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig({ secret: "a secret of thirty-two characters" });`,
  "app/notes/route.ts": `export const POST = async (_request, { db, auth, env }) => {
  const { id: owner } = await auth.requireAuth();
  await db.transaction().execute((trx) => trx.insertInto("notes").values({ owner, tags: ["a", "b"] }).execute());
  await env.KV.put("last", owner);
  return await db.selectFrom("notes").select(["owner", "tags"]).execute();
};`,
};

/** Writes the project below the repository, where it finds the packages. */
async function withProject(
  url: string | undefined,
  work: (cwd: string) => Promise<void>,
): Promise<void> {
  const cwd = join(repositoryRoot, "tests", "output", `postgres_context_${crypto.randomUUID()}`);
  const before = process.env["DATABASE_URL"];
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.mkdir(join(cwd, name, ".."), { recursive: true });
      await Deno.writeTextFile(join(cwd, name), text);
    }
    if (url === undefined) delete process.env["DATABASE_URL"];
    else process.env["DATABASE_URL"] = url;
    await work(cwd);
  } finally {
    if (before === undefined) delete process.env["DATABASE_URL"];
    else process.env["DATABASE_URL"] = before;
    await Deno.remove(cwd, { recursive: true });
  }
}

/** Has the storage fail for the application alone, before and after PostgreSQL has done its work. */
async function loseAnswers(cwd: string): Promise<void> {
  await using ctx = await createTestContext({ cwd });
  const ada = await ctx.withAuth({ userId: "ada" });
  const add = async () => (await ada.fetch("/notes", { method: "POST" })).status;
  const count = async () => (await ctx.db.selectFrom("notes").selectAll().execute()).length;
  {
    using faults = ctx.faults({ storage: { DB: "down" } });
    assert.equal(await add(), 503);
    assert.ok(faults.count > 0);
    assert.equal(await count(), 0);
  }
  // Whichever exchange is lost, what the application said is true.
  let lost = 0;
  for (;; lost++) {
    const before = await count();
    using faults = ctx.faults({ storage: { DB: "answer lost" }, after: lost, times: 1 });
    const status = await add();
    if (faults.count === 0) break;
    const added = await count() - before;
    assert.ok(status === 200 ? added === 1 : added <= 1, `${lost}: ${status}, and ${added} added`);
  }
  assert.ok(lost > 3, `${lost} exchanges`);
  assert.throws(() => ctx.faults({ storage: { DB: "stale" } }), { code: "OPTIONS" });
}

Deno.test({
  name: `each test context has a schema of its own in PostgreSQL${bin ? "" : `: ${postgresHint}`}`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const server = await startPostgres(bin!);
    const url = `postgres://framework@127.0.0.1:${server.port}/postgres`;
    const schemas = async () =>
      (await server.admin.query(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'framework_test%'",
      ))
        .rowCount;
    try {
      await server.admin.query(
        "CREATE TABLE notes (stray TEXT); CREATE SCHEMA framework_test_1_old",
      );
      await withProject(url, async (cwd) => {
        {
          await using first = await createTestContext({
            cwd,
            seed: (db) => db.insertInto("notes").values({ owner: "seed", tags: [] }).execute(),
          });
          await using second = await createTestContext({ cwd });
          assert.equal(await schemas(), 2, "the one that a killed test left is gone");
          assert.equal((await first.fetch("/notes", { method: "POST" })).status, 303);
          const ada = await first.withAuth({ userId: "ada", name: "Ada" });
          const response = await ada.fetch("/notes", { method: "POST" });
          assert.deepEqual(await response.json(), [
            { owner: "seed", tags: [] },
            { owner: "ada", tags: ["a", "b"] },
          ]);
          assert.deepEqual(await second.db.selectFrom("notes").selectAll().execute(), []);
          assert.deepEqual(await second.db.selectFrom("users").select("id").execute(), []);
        }
        assert.equal(await schemas(), 0);
        {
          await using ctx = await createTestContext({ cwd });
          await assert.rejects(
            assertGuarded(ctx),
            /copy of all data, which neither PostgreSQL nor .* Call it in a project with SQLite/,
          );
        }
        await loseAnswers(cwd);
        await Deno.writeTextFile(join(cwd, "migrations/0003_wrong.sql"), "CREATE TABEL x ();");
        await assert.rejects(
          createTestContext({ cwd }),
          /Migration 0003_wrong\.sql failed in the test database: syntax error/,
        );
        assert.equal(await schemas(), 0);
        await assert.rejects(createTestContext({ cwd, runtime: "workerd" }), /not in workerd/);
      });
    } finally {
      await server.stop();
    }
  },
});

Deno.test("a test context refuses D1 beside PostgreSQL, whose migrations would run on SQLite", () =>
  withProject(undefined, async (cwd) => {
    const platform = JSON.parse(files["wrangler.jsonc"]);
    const text = JSON.stringify({ ...platform, d1_databases: [{ binding: "DB" }] });
    await Deno.writeTextFile(join(cwd, "wrangler.jsonc"), text);
    await assert.rejects(createTestContext({ cwd }), {
      code: "PROJECT",
      message: /declares D1 databases \(DB\), but the project's is PostgreSQL\. Remove/,
    });
  }));

Deno.test({
  name: "a test context says which database it needs, and writes to none of another machine",
  // Modules of the project are imported.
  sanitizeOps: false,
  fn: async () => {
    await withProject(undefined, async (cwd) => {
      await assert.rejects(createTestContext({ cwd }), /DATABASE_URL is not set/);
    });
    await withProject("postgres://user:secret@db.example/app", async (cwd) => {
      await assert.rejects(createTestContext({ cwd }), /another machine.*TEST_DATABASE_URL/);
    });
  },
});
