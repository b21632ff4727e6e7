// deno-lint-ignore-file camelcase -- the names are those of the platform's file.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCli } from "../main.ts";

const platform = {
  name: "app",
  compatibility_date: "2026-07-01",
  compatibility_flags: ["nodejs_compat"],
};

async function withProject(
  database: Record<string, unknown>,
  files: Record<string, string>,
  test: (root: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "framework-migrate-"));
  try {
    const text = JSON.stringify({ ...platform, d1_databases: [{ binding: "DB", ...database }] });
    await writeFile(join(root, "wrangler.jsonc"), text);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    await test(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

async function framework(cwd: string, ...argv: string[]) {
  let stdout = "";
  let stderr = "";
  const code = await runCli(argv, {
    cwd,
    env: {},
    stdout: { write: (text) => stdout += text },
    stderr: { write: (text) => stderr += text },
  });
  return { code, stdout, stderr };
}

Deno.test("migrate up honours migrations_dir and migrations_table, and leaves down/ alone", () =>
  withProject({ migrations_dir: "sql", migrations_table: "done" }, {
    "sql/0001_a.sql": "CREATE TABLE a (x);",
    "sql/down/0001_a.sql": "DROP TABLE a;",
    "migrations/0001_wrong.sql": "nonsense",
  }, async (root) => {
    assert.equal((await framework(root, "migrate", "up")).stderr, "✓ Applied 0001_a.sql\n");
    assert.match(
      (await framework(root, "migrate", "status")).stdout,
      /^0001_a\.sql {2}applied {2}/,
    );
    assert.equal((await framework(root, "migrate", "create", "b")).code, 0);
    assert.deepEqual((await readdir(join(root, "sql"))).sort(), [
      "0001_a.sql",
      "0002_b.sql",
      "down",
    ]);
  }));

Deno.test("migrate warns when there are no migrations and makes no database", () =>
  withProject({}, {}, async (root) => {
    for (const command of ["up", "status"]) {
      assert.deepEqual(await framework(root, "migrate", command), {
        code: 0,
        stdout: "",
        stderr: "warning: There are no migrations in migrations/.\n",
      });
    }
    assert.deepEqual(await readdir(root), ["wrangler.jsonc"]);
  }));

Deno.test("migrate status makes no database and tells changed and missing files", () =>
  withProject({}, {
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
    "migrations/0002_b.sql": "CREATE TABLE b (x);",
  }, async (root) => {
    assert.equal(
      (await framework(root, "migrate", "status")).stdout,
      "0001_a.sql  pending\n0002_b.sql  pending\n",
    );
    assert.deepEqual((await readdir(root)).sort(), ["migrations", "wrangler.jsonc"]);
    await framework(root, "migrate", "up");
    await writeFile(join(root, "migrations/0001_a.sql"), "CREATE TABLE a (y);");
    await rm(join(root, "migrations/0002_b.sql"));
    const { code, stdout, stderr } = await framework(root, "migrate", "status");
    assert.equal(code, 0);
    assert.match(stdout, /^0001_a\.sql {2}changed {2}.*\n0002_b\.sql {2}missing {2}/);
    assert.equal(stderr, "warning: Files and database differ: 0001_a.sql, 0002_b.sql.\n");
  }));

Deno.test("migrate up warns about a file that comes late", () =>
  withProject({}, { "migrations/0002_b.sql": "SELECT 1;" }, async (root) => {
    await framework(root, "migrate", "up");
    await writeFile(join(root, "migrations/0001_a.sql"), "SELECT 1;");
    assert.equal(
      (await framework(root, "migrate", "up")).stderr,
      "warning: Applying 0001_a.sql after migrations with a higher number.\n✓ Applied 0001_a.sql\n",
    );
  }));

Deno.test("migrate is exit 2 for a migrations_pattern that it would not follow", async () => {
  const migration = { "migrations/0001_a.sql": "SELECT 1;" };
  for (const pattern of ["migrations/**/*.sql", "migrations/*/migration.sql"]) {
    const database = { migrations_dir: "migrations", migrations_pattern: pattern };
    await withProject(database, migration, async (root) => {
      const { code, stderr } = await framework(root, "migrate", "up");
      assert.equal(code, 2);
      assert.match(stderr, /^error: migrations_pattern ".*" is not supported\.\nhint: Remove it/);
    });
  }
  const usual = { migrations_dir: "migrations", migrations_pattern: "migrations/*.sql" };
  await withProject(usual, migration, async (root) => {
    assert.equal((await framework(root, "migrate", "up")).code, 0);
  });
});

Deno.test("migrate is exit 2 when the binding is not declared", () =>
  withProject({ binding: "MAIN" }, {}, async (root) => {
    const { code, stderr } = await framework(root, "migrate", "up");
    assert.equal(code, 2);
    assert.match(
      stderr,
      /no D1 database with the binding DB \(found: MAIN\)\.\nhint: Set `database`/,
    );
  }));

Deno.test("migrate agrees with wrangler on what is applied", () =>
  withProject({ database_name: "app", database_id: "1" }, {
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
    "migrations/down/0001_a.sql": "DROP TABLE a;",
  }, async (root) => {
    assert.equal((await framework(root, "migrate", "up")).stderr, "✓ Applied 0001_a.sql\n");
    await writeFile(join(root, "migrations/0002_b.sql"), "CREATE TABLE b (x);");
    const wrangler = new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", wrangler.href, "d1", "migrations", "apply", "DB", "--local"],
      cwd: root,
      env: {
        CI: "1",
        NO_COLOR: "1",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_SEND_ERROR_REPORTS: "false",
        WRANGLER_LOG_PATH: join(root, "logs"),
      },
    }).output();
    const log = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.equal(code, 0, log);
    assert.match(log, /0002_b\.sql/);
    assert.doesNotMatch(log, /0001_a\.sql/);
    assert.equal(
      (await framework(root, "migrate", "up")).stderr,
      "Nothing to do: all migrations are applied.\n",
    );
    assert.match(
      (await framework(root, "migrate", "status")).stdout,
      /^0001_a\.sql {2}applied .*\n0002_b\.sql {2}applied /,
    );
  }));
