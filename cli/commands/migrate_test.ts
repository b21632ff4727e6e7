// deno-lint-ignore-file camelcase -- the names are those of the platform's file.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { runCli } from "../main.ts";
import { ledgerTables } from "../migrate/ledger.ts";
import { localDatabasePath, openLocalDatabase } from "../migrate/local_database.ts";
import { readPlatform } from "../platform/wrangler_file.ts";

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

/** The way out of every state of the local database. */
const anew = "Or recreate the local database without its data: " +
  "`framework migrate reset --local --force`, then `framework migrate up`.";

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

Deno.test("migrate create takes the options that its sister commands have", () =>
  withProject({}, {}, async (root) => {
    // Tracks: SP-W11
    for (const place of ["--local", "--remote"]) {
      const { code, stderr } = await framework(root, "migrate", "create", "posts", place);
      assert.equal(code, 0, stderr);
    }
    const both = await framework(root, "migrate", "create", "posts", "--local", "--remote");
    assert.equal(both.code, 1);
    assert.match(both.stderr, /--local and --remote exclude each other/);
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
    assert.equal(
      stderr,
      "warning: The files and the database differ: 0001_a.sql, 0002_b.sql.\n" +
        `Restore the files. ${anew}\n`,
    );
  }));

Deno.test("migrate status --check fails until every migration is applied as it stands", () =>
  withProject({}, { "migrations/0001_a.sql": "CREATE TABLE a (x);" }, async (root) => {
    const check = async (...more: string[]) => {
      const { code, stdout } = await framework(root, "migrate", "status", "--check", ...more);
      return [code, stdout.match(/pending|applied|changed|missing/)?.[0]];
    };
    assert.deepEqual(await check(), [1, "pending"]);
    assert.deepEqual(await check("--json"), [1, "pending"]);
    await framework(root, "migrate", "up");
    assert.deepEqual(await check(), [0, "applied"]);
    await writeFile(join(root, "migrations/0001_a.sql"), "CREATE TABLE a (y);");
    assert.deepEqual(await check(), [1, "changed"]);
    await rm(join(root, "migrations/0001_a.sql"));
    assert.deepEqual(await check(), [1, "missing"]);
  }));

Deno.test("migrate status warns about a file that comes late", () =>
  withProject({}, {
    "migrations/0001_a.sql": "CREATE TABLE a (x);",
    "migrations/0003_c.sql": "CREATE TABLE c (x);",
  }, async (root) => {
    await framework(root, "migrate", "up");
    await writeFile(join(root, "migrations/0002_late.sql"), "CREATE TABLE b (x);");
    const { stderr } = await framework(root, "migrate", "status");
    assert.match(stderr, /^warning: To be applied after .* higher number: 0002_late\.sql\.$/m);
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

const two = {
  "migrations/0001_a.sql": "CREATE TABLE a (x);",
  "migrations/0002_b.sql": "CREATE TABLE b (x);",
  "migrations/down/0001_a.sql": "DROP TABLE a;",
  "migrations/down/0002_b.sql": "DROP TABLE b;",
};

async function applied(root: string): Promise<string[]> {
  const { stdout } = await framework(root, "migrate", "status", "--json");
  const { migrations } = JSON.parse(stdout) as { migrations: { name: string; state: string }[] };
  return migrations.filter(({ state }) => state === "applied").map(({ name }) => name);
}

Deno.test("migrate up --steps applies so many, and JSON tells which", () =>
  withProject({}, two, async (root) => {
    const { code, stdout } = await framework(root, "migrate", "up", "--steps", "1", "--json");
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      database: "local",
      dryRun: false,
      applied: [{ name: "0001_a.sql" }],
    });
    const status = JSON.parse((await framework(root, "migrate", "status", "--json")).stdout);
    assert.match(status.migrations[0].appliedAt, /^\d{4}-\d\d-\d\d /);
    assert.deepEqual(
      [status.database, status.migrations[1]],
      ["local", { name: "0002_b.sql", state: "pending", appliedAt: null }],
    );
    assert.equal((await framework(root, "migrate", "up", "--steps", "0")).code, 1);
  }));

// Tracks: R159
Deno.test("migrate --dry-run writes the SQL, checks the same things and changes nothing", () =>
  withProject({}, two, async (root) => {
    const up = await framework(root, "migrate", "up", "--dry-run");
    assert.equal(
      up.stdout,
      "-- migrations/0001_a.sql\nCREATE TABLE a (x);\n-- migrations/0002_b.sql\nCREATE TABLE b (x);\n",
    );
    assert.equal(up.stderr, "Nothing was changed. 2 files would run on the local database.\n");
    assert.deepEqual((await readdir(root)).sort(), ["migrations", "wrangler.jsonc"]);

    await framework(root, "migrate", "up");
    const down = await framework(root, "migrate", "down", "--dry-run");
    assert.equal(down.stdout, "-- migrations/down/0002_b.sql\nDROP TABLE b;\n");
    const reset = await framework(root, "migrate", "reset", "--dry-run", "--json");
    assert.deepEqual(JSON.parse(reset.stdout), {
      database: "local",
      dryRun: true,
      reverted: [
        { name: "0002_b.sql", sql: "DROP TABLE b;" },
        { name: "0001_a.sql", sql: "DROP TABLE a;" },
      ],
    });
    assert.deepEqual(await applied(root), ["0001_a.sql", "0002_b.sql"]);

    await writeFile(join(root, "migrations/0001_a.sql"), "CREATE TABLE a (y);");
    const drifted = await framework(root, "migrate", "up", "--dry-run");
    assert.equal(drifted.code, 1);
    assert.match(drifted.stderr, /0001_a\.sql was changed/);
    await writeFile(join(root, "migrations/0003_c.sql"), "BEGIN;");
    assert.match(
      (await framework(root, "migrate", "up", "--dry-run")).stderr,
      /0003_c\.sql:1: BEGIN/,
    );
  }));

Deno.test("migrate down takes back the last migration, reset all of them", () =>
  withProject({}, two, async (root) => {
    await framework(root, "migrate", "up");
    assert.deepEqual(await framework(root, "migrate", "down", "--yes"), {
      code: 0,
      stdout: "",
      stderr: "✓ Reverted 0002_b.sql\n",
    });
    assert.deepEqual(await applied(root), ["0001_a.sql"]);
    await framework(root, "migrate", "up");
    assert.equal(
      (await framework(root, "migrate", "reset", "-y")).stderr,
      "✓ Reverted 0002_b.sql\n✓ Reverted 0001_a.sql\n",
    );
    assert.deepEqual(await applied(root), []);
    assert.equal(
      (await framework(root, "migrate", "down", "--yes")).stderr,
      "Nothing to do: no migration has been applied.\n",
    );
    assert.equal((await framework(root, "migrate", "up")).code, 0);
    assert.deepEqual(await applied(root), ["0001_a.sql", "0002_b.sql"]);
  }));

Deno.test("migrate down and reset refuse without --yes where nobody can be asked", () =>
  withProject({}, two, async (root) => {
    await framework(root, "migrate", "up");
    for (const command of ["down", "reset"]) {
      assert.deepEqual(await framework(root, "migrate", command), {
        code: 1,
        stdout: "",
        stderr: "error: This deletes data, and there is no terminal to ask for confirmation.\n" +
          "hint: Add --yes to confirm.\n",
      });
    }
    assert.deepEqual(await applied(root), ["0001_a.sql", "0002_b.sql"]);
  }));

// Tracks: F40
Deno.test("migrate reset takes back nothing when a file is missing or says nothing", () =>
  withProject({}, two, async (root) => {
    await framework(root, "migrate", "up");
    await rm(join(root, "migrations/down/0001_a.sql"));
    const missing = await framework(root, "migrate", "reset", "--yes");
    assert.equal(missing.code, 1);
    assert.equal(
      missing.stderr,
      "error: down/0001_a.sql is missing, so nothing was reverted.\n" +
        `hint: Write the statements that undo the migration into that file. ${anew}\n`,
    );
    await writeFile(join(root, "migrations/down/0001_a.sql"), "-- later\n");
    const empty = await framework(root, "migrate", "reset", "--yes");
    assert.match(empty.stderr, /down\/0001_a\.sql contains no statement, so nothing was reverted/);
    await writeFile(join(root, "migrations/down/0001_a.sql"), "DROP TABLE a; COMMIT;");
    assert.match(
      (await framework(root, "migrate", "reset", "--yes")).stderr,
      /down\/0001_a\.sql:1: COMMIT is not allowed/,
    );
    assert.deepEqual(await applied(root), ["0001_a.sql", "0002_b.sql"]);
  }));

// Tracks: R159
Deno.test("migrate asks for wrangler only when --remote is given, and for one of the two databases", () =>
  withProject({ database_name: "app", database_id: "1" }, two, async (root) => {
    for (const command of ["up", "down", "status", "reset"]) {
      const both = await framework(root, "migrate", command, "--local", "--remote");
      assert.equal(both.code, 1);
      assert.match(both.stderr, /--local and --remote exclude each other/);
      assert.equal((await framework(root, "migrate", command)).code, 0);
      const remote = await framework(root, "migrate", command, "--remote");
      assert.equal(remote.code, 2);
      assert.match(remote.stderr, /wrangler is not installed[\s\S]*hint: Run `/);
      if (command !== "status") await framework(root, "migrate", "reset", "--yes");
    }
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
      "Nothing to do: all migrations have been applied.\n",
    );
    assert.match(
      (await framework(root, "migrate", "status")).stdout,
      /^0001_a\.sql {2}applied .*\n0002_b\.sql {2}applied /,
    );
  }));

// Tracks: SP-W6
Deno.test("migrate up refuses a migration without a statement, which can then be written and applied", () =>
  withProject({}, { "migrations/0001_a.sql": "CREATE TABLE a (x);" }, async (root) => {
    await framework(root, "migrate", "create", "add_posts");
    const refusal = "error: 0002_add_posts.sql contains no statement, so nothing was applied.\n" +
      "hint: Write the statements of the migration, or SELECT 1; if there is nothing to do.\n";
    for (const options of [["--dry-run"], []]) {
      const { code, stderr } = await framework(root, "migrate", "up", ...options);
      assert.deepEqual({ code, stderr }, { code: 1, stderr: refusal });
      assert.deepEqual(await applied(root), []);
    }
    assert.equal(
      (await framework(root, "migrate", "up", "--steps", "1")).stderr,
      "✓ Applied 0001_a.sql\n",
    );
    await writeFile(join(root, "migrations/0002_add_posts.sql"), "CREATE TABLE posts (x);");
    assert.equal((await framework(root, "migrate", "up")).stderr, "✓ Applied 0002_add_posts.sql\n");
  }));

// Tracks: SP-W6
Deno.test("migrate up goes on after a file of comments that wrangler has applied", () =>
  withProject({}, { "migrations/0001_a.sql": "-- nothing\n" }, async (root) => {
    const database = await openLocal(root);
    for (const statement of ledgerTables("d1_migrations")) database.exec(statement);
    database.exec("INSERT INTO d1_migrations (name) VALUES ('0001_a.sql')");
    database.close();
    await writeFile(join(root, "migrations/0002_b.sql"), "CREATE TABLE b (x);");
    assert.equal((await framework(root, "migrate", "up")).stderr, "✓ Applied 0002_b.sql\n");
  }));

/** Tables of the local database, without those of SQLite and the platform. */
async function contents(root: string): Promise<unknown[]> {
  const database = await openLocal(root);
  const query = "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*' " +
    "AND name NOT GLOB 'sqlite_*' ORDER BY name";
  const names = database.prepare(query).all().map((row) => row["name"]);
  database.close();
  return names;
}

async function openLocal(root: string): Promise<DatabaseSync> {
  const platform = await readPlatform({ root, platformFile: join(root, "wrangler.jsonc") });
  return await openLocalDatabase(localDatabasePath(platform, "DB", root));
}

// Tracks: AB-14
Deno.test("migrate leads out of a branch switch: every message names the command, and it works", () =>
  withProject({}, two, async (root) => {
    await framework(root, "migrate", "up");
    await rm(join(root, "migrations/0002_b.sql"));
    await rm(join(root, "migrations/down/0002_b.sql"));
    for (
      const command of [
        "up",
        "up --dry-run",
        "down --yes",
        "down --dry-run",
        "reset --yes",
        "status",
      ]
    ) {
      const { stderr } = await framework(root, "migrate", ...command.split(" "));
      assert.ok(stderr.endsWith(`${anew}\n`), `${command}: ${stderr}`);
    }
    assert.deepEqual(await framework(root, "migrate", "reset", "--local", "--force"), {
      code: 0,
      stdout: "",
      stderr: "✓ Emptied the local database\nRun `framework migrate up` to create its tables.\n",
    });
    assert.deepEqual(await contents(root), []);
    assert.equal((await framework(root, "migrate", "up")).stderr, "✓ Applied 0001_a.sql\n");
  }));

// Tracks: AB-14, SP-W6
Deno.test("migrate leads out of a changed migration and of a down file that fails", () =>
  withProject({}, two, async (root) => {
    await framework(root, "migrate", "up");
    await writeFile(join(root, "migrations/down/0002_b.sql"), "DROP TABLE nowhere;");
    const failed = await framework(root, "migrate", "down", "--yes");
    assert.match(failed.stderr, /down\/0002_b\.sql:1: no such table: nowhere/);
    assert.ok(failed.stderr.endsWith(`${anew}\n`), failed.stderr);
    await writeFile(join(root, "migrations/down/0002_b.sql"), "-- nothing");
    const empty = await framework(root, "migrate", "down", "--yes");
    assert.ok(empty.stderr.endsWith(`${anew}\n`), empty.stderr);
    await writeFile(join(root, "migrations/0002_b.sql"), "CREATE TABLE b (y);");
    const changed = await framework(root, "migrate", "up");
    assert.match(changed.stderr, /0002_b\.sql was changed after it was applied/);
    assert.ok(changed.stderr.endsWith(`${anew}\n`), changed.stderr);
    await framework(root, "migrate", "reset", "--force");
    assert.equal((await framework(root, "migrate", "up")).code, 0);
  }));

// Tracks: AB-14
Deno.test("migrate reset --force empties whatever the database holds, and leaves the platform's own tables", () =>
  withProject({}, {
    "migrations/0001_a.sql": `CREATE TABLE parents (id INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE "child ""ren" (parent REFERENCES parents (id));
INSERT INTO parents DEFAULT VALUES;
INSERT INTO "child ""ren" VALUES (1);
CREATE VIEW everything AS SELECT * FROM parents JOIN "child ""ren" ON parent = id;
CREATE VIEW above AS SELECT * FROM everything;
CREATE INDEX by_parent ON "child ""ren" (parent);
CREATE VIRTUAL TABLE words USING fts5(text);
CREATE TRIGGER found AFTER INSERT ON parents BEGIN INSERT INTO words VALUES (new.id); END;
CREATE TRIGGER never BEFORE DELETE ON parents BEGIN SELECT RAISE(ABORT, 'kept'); END;`,
  }, async (root) => {
    assert.equal((await framework(root, "migrate", "up")).code, 0);
    const database = await openLocal(root);
    database.exec("CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)");
    database.close();
    const before = await contents(root);
    const dry = await framework(root, "migrate", "reset", "--force", "--dry-run");
    assert.equal(
      dry.stdout,
      'DROP VIEW "above";\nDROP VIEW "everything";\nDROP TABLE "words";\nDROP TABLE "child ""ren";\n' +
        'DROP TABLE "d1_migrations";\nDROP TABLE "framework_migrations";\nDROP TABLE "parents";\n',
    );
    assert.equal(dry.stderr, "Nothing was changed. The local database would be emptied.\n");
    assert.deepEqual(await contents(root), before);
    const { code, stdout } = await framework(root, "migrate", "reset", "--force", "--json");
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      database: "local",
      dryRun: false,
      dropped: [
        "above",
        "everything",
        "words",
        'child "ren',
        "d1_migrations",
        "framework_migrations",
        "parents",
      ],
    });
    assert.deepEqual(await contents(root), []);
    const after = await openLocal(root);
    assert.ok(after.prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_METADATA'").get());
    after.close();
    assert.equal((await framework(root, "migrate", "up")).code, 0);
  }));

// Tracks: AB-14
Deno.test("migrate reset --force is refused with --remote before anything is read, and makes no database", () =>
  withProject({ database_name: "app", database_id: "1" }, two, async (root) => {
    const remote = ["migrate", "reset", "--remote", "--force", "--confirm", "app"];
    assert.deepEqual(await framework(root, ...remote), {
      code: 1,
      stdout: "",
      stderr: "error: --force empties the local database only.\n" +
        "hint: Remove --remote; the platform's database is reverted only by the files of " +
        "migrations/down/.\n",
    });
    assert.equal(
      (await framework(root, "migrate", "reset", "--force")).stderr,
      "Nothing to do: there is no local database.\n",
    );
    assert.deepEqual((await readdir(root)).sort(), ["migrations", "wrangler.jsonc"]);
  }));
