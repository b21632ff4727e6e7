// Tables by the migrators of Drizzle and Prisma, from what `framework generate auth --schema` prints.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mariadb, mariadbSchema } from "@framework/auth/mariadb";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema } from "@framework/auth/storage";
import type pg from "pg";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { readTable } from "../docs/tables.ts";
import { framework, platformFile, withProject } from "../support/command_line.ts";
import { type MariadbServer, startMariadb } from "../support/mariadb.ts";
import { inMatrix } from "../support/matrix.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { startPostgres } from "../support/postgres.ts";
import { migrators, type Place, printed, signsIn } from "./schema_tools.ts";

/** Rows of the second table in docs/databases.md. */
const TITLES = { drizzle: "Drizzle", prisma: "Prisma", kysely: "Kysely" };

/** Whatever the rows depend on: columns, keys, references, indexes, triggers. */
async function postgresShape(client: pg.Client): Promise<unknown> {
  const names = [...postgresSchema.up.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);
  const read = async (sql: string) => (await client.query(sql, [names])).rows;
  return {
    columns: await read(
      `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = ANY ($1) ORDER BY 1, 2`,
    ),
    // A unique constraint is its index, which Prisma makes alone.
    constraints: await read(
      `SELECT conname, pg_get_constraintdef(oid) AS text FROM pg_constraint
WHERE contype <> 'u' AND conrelid::regclass::text = ANY ($1) ORDER BY 1`,
    ),
    indexes: await read(
      "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY ($1) ORDER BY 1",
    ),
    triggers: await read(
      `SELECT pg_get_triggerdef(t.oid) AS text, prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = tgfoid
WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY ($1) ORDER BY 1`,
    ),
    marker: await read(
      `SELECT version, compatible, key ~ '^[0-9a-f]{64}$' AS key FROM auth_schema WHERE $1::text[] <> '{}'`,
    ),
  };
}

function affinity(type: string): string {
  return /INT/i.test(type) ? "integer" : type.toLowerCase();
}

/**
 * The same of SQLite, where a key has no name.
 *
 * @param without Columns, as `table.column`, whose default is not looked at.
 */
function sqliteShape(file: DatabaseSync, without: readonly string[]): unknown {
  const read = (sql: string, ...values: string[]) => file.prepare(sql).all(...values);
  const names = [...authSchema.up.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name!);
  const tables = names.map((table) => ({
    table,
    columns: read("SELECT * FROM pragma_table_info(?) ORDER BY name", table).map((column) => ({
      name: column["name"],
      type: affinity(String(column["type"])),
      required: column["notnull"],
      key: column["pk"],
      default: !without.includes(`${table}.${column["name"]}`) && column["dflt_value"],
    })),
    references: read(
      `SELECT "from", "table", "to", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY "from"`,
      table,
    ),
    indexes: read("SELECT * FROM pragma_index_list(?)", table)
      .filter(({ origin }) => origin !== "pk")
      .map(({ name, unique }) => ({
        // One that belongs to a constraint has a name of the database's.
        name: unique === 1 ? null : name,
        unique,
        parts: read(
          "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno",
          String(name),
        ),
      })).toSorted((one, two) => JSON.stringify(one) < JSON.stringify(two) ? -1 : 1),
  }));
  return {
    tables,
    expressions: read("SELECT sql FROM sqlite_schema WHERE name = 'users_by_name'")
      .map(({ sql }) => String(sql).replaceAll(/[\s"`]/g, "").toLowerCase()),
    triggers: read("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"),
    marker: read(
      "SELECT version, compatible, key GLOB '[0-9a-f]*' AND length(key) AS key FROM auth_schema",
    ),
  };
}

/** The same of MariaDB; the names of what refers to others are those of the tool. */
async function mariadbShape({ ask }: MariadbServer): Promise<unknown> {
  const names = [...mariadbSchema.up.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)]
    .map(([, name]) => `'${name}'`).join(", ");
  const [columns, indexes, references, triggers, marker] = await Promise.all([
    `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME, IS_NULLABLE, COLUMN_DEFAULT, GENERATION_EXPRESSION
     FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'app' AND TABLE_NAME IN (${names}) ORDER BY 1, 2`,
    `SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE
     FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'app' AND TABLE_NAME IN (${names}) ORDER BY 1, 2, 3`,
    `SELECT k.TABLE_NAME, COLUMN_NAME, k.REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME, DELETE_RULE
     FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r
       ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
     WHERE k.TABLE_SCHEMA = 'app' AND k.TABLE_NAME IN (${names}) ORDER BY 1, 2`,
    `SELECT TRIGGER_NAME, ACTION_TIMING, EVENT_MANIPULATION, EVENT_OBJECT_TABLE, ACTION_STATEMENT
     FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'app' ORDER BY 1`,
    "SELECT version, compatible, `key` REGEXP '^[0-9a-f]{64}$' AS has_key FROM auth_schema",
  ].map((sql) => ask(sql)));
  return { columns, indexes, references, triggers, marker };
}

const bin = await findPostgres();
const programs = await findMariadb();

// Drizzle and Prisma install a hundred megabytes and more: the one that most applications have runs daily.
const DAILY = ["drizzle", "kysely"] as const;
for (const tool of inMatrix ? Object.keys(TITLES) as (keyof typeof TITLES)[] : DAILY) {
  // Tracks: AU-05
  Deno.test({
    name: `tables of SQLite by ${tool}'s migrator are those of the library, and people sign in`,
    ignore: !nodeIsAvailable,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: `framework-${tool}-` });
      try {
        const file = join(folder, "app.db");
        const place: Place = { dialect: "sqlite", url: `file:${file}`, folder };
        await migrators[tool](place);
        using made = new DatabaseSync(file);
        using own = new DatabaseSync(":memory:");
        own.exec(authSchema.up);
        // Prisma has no defaults there that are expressions.
        const without = tool === "prisma" ? ["users.created_at", "users.updated_at"] : [];
        assert.deepEqual(sqliteShape(made, without), sqliteShape(own, without));
        await signsIn(sqlite(made));
        if (tool === "kysely") return;
        made.exec((await printed(tool, place, "--sql")).replaceAll("--> statement-breakpoint", ""));
        assert.deepEqual(sqliteShape(made, without), sqliteShape(own, without));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });

  // What Kysely runs is the library's own text, and none that is printed for it.
  if (tool === "kysely" && !inMatrix) continue;

  // Tracks: AU-05
  Deno.test({
    name:
      `tables of PostgreSQL ${
        inMatrix ? "by" : "in the words of"
      } ${tool}'s migrator are those of the library, and people sign in` +
      (bin === null ? ` [unavoidable: ${postgresHint}]` : ""),
    ignore: !nodeIsAvailable || bin === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: `framework-${tool}-` });
      const server = await startPostgres(bin!);
      try {
        const { admin, port, pool } = server;
        const url = `postgres://framework@127.0.0.1:${port}/postgres`;
        await admin.query(postgresSchema.up);
        const own = await postgresShape(admin);
        await admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        const place: Place = { dialect: "postgresql", url, folder };
        await migrators[tool](place);
        assert.deepEqual(await postgresShape(admin), own);
        await signsIn(postgres(pool));
        if (tool === "kysely") return;
        await admin.query(await printed(tool, place, "--sql"));
        assert.deepEqual(await postgresShape(admin), own);
      } finally {
        await server.stop();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });

  // Tracks: AU-05
  Deno.test({
    name:
      `tables of MariaDB ${
        inMatrix && tool !== "prisma" ? "by" : "in the words of"
      } ${tool}'s migrator ` +
      "are those of the library, and people sign in" +
      (programs === null ? ` [unavoidable: ${mariadbHint}]` : ""),
    ignore: !nodeIsAvailable || programs === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: `framework-${tool}-` });
      const server = await startMariadb(programs!);
      try {
        const { ask, empty, port, pool } = server;
        await ask(mariadbSchema.up);
        const own = await mariadbShape(server);
        await empty();
        const url = `mysql://root@127.0.0.1:${port}/app`;
        const place: Place = { dialect: "mysql", url, folder };
        await migrators[tool](place);
        assert.deepEqual(await mariadbShape(server), own);
        await signsIn(mariadb(pool));
        if (tool === "kysely") return;
        await ask((await printed(tool, place, "--sql")).replaceAll("--> statement-breakpoint", ""));
        assert.deepEqual(await mariadbShape(server), own);
      } finally {
        await server.stop();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

// Tracks: AU-05
Deno.test("tables of D1 by framework migrate are those of the library, and people sign in", async () => {
  const files = { "wrangler.jsonc": platformFile, "package.json": "{}" };
  await withProject(files, async (root) => {
    for (const args of [["generate", "auth"], ["migrate", "up"]]) {
      const { code, stderr } = await framework(root, ...args);
      assert.equal(code, 0, stderr);
    }
    const [name] = (await readdir(join(root, ".wrangler"), { recursive: true }))
      .filter((path) => path.endsWith(".sqlite"));
    using made = new DatabaseSync(join(root, ".wrangler", name!));
    using own = new DatabaseSync(":memory:");
    own.exec(authSchema.up);
    assert.deepEqual(sqliteShape(made, []), sqliteShape(own, []));
    await signsIn(sqlite(made), false);
  });
});

Deno.test("the table of tools in docs/databases.md is what is migrated", async () => {
  const table = await readTable("docs/databases.md", "SQLite");
  const each = { SQLite: "✓", PostgreSQL: "✓", MariaDB: "✓", D1: "" };
  assert.deepEqual(table, {
    ...Object.fromEntries(Object.values(TITLES).map((title) => [title, each])),
    [TITLES.prisma]: { ...each, MariaDB: "in its words" },
    "`framework migrate`": { SQLite: "", PostgreSQL: "", MariaDB: "", D1: "✓" },
  });
});
