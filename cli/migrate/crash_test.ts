import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readPlatform } from "../project/platform.ts";
import { localDatabasePath, openLocalDatabase } from "./local_database.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const ROWS = 2_000_000;

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
    await mkdir(join(root, "migrations"));
    for (const [name, sql] of Object.entries(migrations)) {
      await writeFile(join(root, "migrations", name), sql);
    }
    await test(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

function startUp(root: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, "migrate", "up"],
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

// Tracks: F37
Deno.test("migrate up killed in the middle of a file leaves all of it or none, and the next one completes", () =>
  withProject({
    "0001_a.sql": "CREATE TABLE a (x);",
    "0002_b.sql": `CREATE TABLE b (x);
      INSERT INTO b WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
      SELECT i FROM n;`,
  }, async (root) => {
    let killed = 0;
    for (const delay of [0, 30, 60, 120, 200]) {
      const child = startUp(root);
      await untilWriting(root, child);
      await new Promise((resolve) => setTimeout(resolve, delay));
      try {
        child.kill("SIGKILL");
      } catch {
        // It had finished already; then the state below is the complete one.
      }
      if (!(await child.output()).success) killed++;

      const tables = (await query(root, NAMES)).map((row) => (row as { name: string }).name);
      const [hasRecords] = await query(root, RECORDS) as { count: number }[];
      const records = hasRecords?.count === 1
        ? await query(root, "SELECT name FROM d1_migrations ORDER BY id") as { name: string }[]
        : [];
      assert.deepEqual(
        records.map(({ name }) => name),
        ["0001_a.sql", "0002_b.sql"].slice(0, tables.length),
        "the records tell what is there",
      );
      assert.deepEqual(tables, ["a", "b"].slice(0, tables.length));
    }
    assert.ok(killed > 0, "at least one run was killed before its end");

    const last = await startUp(root).output();
    assert.equal(last.code, 0);
    assert.deepEqual(await query(root, "SELECT count(*) AS count FROM b"), [{ count: ROWS }]);
  }));

// Tracks: F38
Deno.test("migrate up twice at once applies each file once", () =>
  withProject(
    Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => {
        const number = String(index + 1).padStart(4, "0");
        return [`${number}_t.sql`, `CREATE TABLE t${index} (x); INSERT INTO t${index} VALUES (1);`];
      }),
    ),
    async (root) => {
      const results = await Promise.all([startUp(root).output(), startUp(root).output()]);
      const text = results.map(({ stderr }) => new TextDecoder().decode(stderr));
      assert.deepEqual(results.map(({ code }) => code), [0, 0], text.join("\n"));
      assert.equal(text.join("").match(/Applied /g)?.length, 12);
      assert.deepEqual(await query(root, "SELECT count(*) AS count FROM d1_migrations"), [
        { count: 12 },
      ]);
    },
  ));
