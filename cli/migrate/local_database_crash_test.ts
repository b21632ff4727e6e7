import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { permissions } from "../../scripts/compile_permissions.ts";
import { inMatrix } from "../../tests/support/matrix.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import { localDatabasePath, openLocalDatabase } from "./local_database.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const ROWS = 100_000;

async function withProject(
  migrations: Record<string, string>,
  test: (root: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "framework-crash-"));
  try {
    await writeFile(
      join(root, "wrangler.jsonc"),
      JSON.stringify({
        name: "app",
        compatibility_date: "2026-07-01",
        compatibility_flags: ["nodejs_compat"],
        d1_databases: [{ binding: "DB" }],
      }),
    );
    await mkdir(join(root, "migrations", "down"), { recursive: true });
    for (const [name, sql] of Object.entries(migrations)) {
      await writeFile(join(root, "migrations", name), sql);
    }
    await test(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

function start(root: string, ...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, main, "migrate", ...args],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Resolves once the process has begun to write: SQLite's rollback journal is there. */
async function untilWriting(root: string, child: Deno.ChildProcess): Promise<void> {
  const journal = `${await databasePath(root)}-journal`;
  let ended = false;
  child.status.then(() => ended = true);
  while (!ended && !existsSync(journal)) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function databasePath(root: string): Promise<string> {
  const platform = await readPlatform({ root, platformFile: join(root, "wrangler.jsonc") });
  return localDatabasePath(platform, "DB", root);
}

async function query(root: string, sql: string): Promise<unknown[]> {
  const database = await openLocalDatabase(await databasePath(root));
  try {
    return database.prepare(sql).all().map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

const NAMES = "SELECT name FROM sqlite_master WHERE name IN ('a', 'b') ORDER BY name";
const RECORDS = "SELECT count(*) AS count FROM sqlite_master WHERE name = 'd1_migrations'";

async function records(root: string): Promise<string[]> {
  const [hasRecords] = await query(root, RECORDS) as { count: number }[];
  if (hasRecords?.count !== 1) return [];
  const rows = await query(root, "SELECT name FROM d1_migrations ORDER BY id");
  return (rows as { name: string }[]).map(({ name }) => name);
}

// Tracks: F37, F40
Deno.test("migrate killed at any moment leaves all of a file or nothing, and the next run completes", () =>
  withProject({
    "0001_a.sql": "CREATE TABLE a (x);",
    "0002_b.sql": `CREATE TABLE b (x);
      INSERT INTO b WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
      SELECT i FROM n;`,
    "down/0001_a.sql": "DROP TABLE a;",
    "down/0002_b.sql": "DELETE FROM b; DROP TABLE b;",
  }, async (root) => {
    // How long the writing takes here: the moments of the ends below lie in it.
    const whole = start(root, "up");
    await untilWriting(root, whole);
    const begun = performance.now();
    assert.equal((await whole.output()).code, 0);
    const duration = performance.now() - begun;

    let killed = 0;
    for (let round = 0; round < (inMatrix ? 50 : 15); round++) {
      const forward = (await records(root)).length < 2;
      const child = start(root, ...forward ? ["up"] : ["reset", "--yes"]);
      await untilWriting(root, child);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * duration));
      try {
        child.kill("SIGKILL");
      } catch {
        // It had finished already; then the state below is the complete one.
      }
      if (!(await child.output()).success) killed++;

      const tables = (await query(root, NAMES)).map((row) => (row as { name: string }).name);
      assert.deepEqual(
        await records(root),
        ["0001_a.sql", "0002_b.sql"].slice(0, tables.length),
        "the records tell what is there",
      );
      assert.deepEqual(tables, ["a", "b"].slice(0, tables.length));
      if (tables.length === 2) {
        assert.deepEqual(await query(root, "SELECT count(*) AS count FROM b"), [{ count: ROWS }]);
      }
    }
    assert.ok(killed > 0, "at least one run was killed before its end");

    const last = await start(root, "up").output();
    assert.equal(last.code, 0);
    assert.deepEqual(await query(root, "SELECT count(*) AS count FROM b"), [{ count: ROWS }]);
  }));

// Tracks: F38
Deno.test("migrate up twice at once applies each file once", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => {
      const number = String(index + 1).padStart(4, "0");
      return [`${number}_t.sql`, `CREATE TABLE t${index} (x); INSERT INTO t${index} VALUES (1);`];
    }),
  );
  for (let round = 0; round < (inMatrix ? 20 : 5); round++) {
    await withProject(files, async (root) => {
      const results = await Promise.all([start(root, "up").output(), start(root, "up").output()]);
      const text = results.map(({ stderr }) => new TextDecoder().decode(stderr));
      assert.deepEqual(results.map(({ code }) => code), [0, 0], text.join("\n"));
      assert.equal(text.join("").match(/Applied /g)?.length, 12);
      assert.equal((await records(root)).length, 12);
    });
  }
});
