// Tables by the migrators of Drizzle and Prisma, from what `framework generate auth --schema` prints.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createAuth, passwords } from "@framework/auth";
import { postgres, postgresSchema } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { authSchema, type SqlDatabase } from "@framework/auth/storage";
import { Kysely, PostgresDialect, sql, type SqliteDatabase, SqliteDialect } from "kysely";
import { Migrator } from "kysely/migration";
import type pg from "pg";
import { Pool } from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { run } from "../../scripts/run_command.ts";
import { readTable } from "../docs/tables.ts";
import { framework, platformFile, withProject } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { installNpmPackages } from "../support/npm_packages.ts";
import { startPostgres } from "../support/postgres.ts";

const PROGRAM = fileURLToPath(new URL("./schemas/prisma.mjs", import.meta.url));
const ORIGIN = "https://app.example";

/** Versions that were tried. */
const DRIZZLE = {
  "@libsql/client": "0.18.0",
  "drizzle-kit": "0.31.11",
  "drizzle-orm": "0.45.4",
  "pg": "8.23.1",
};
const PRISMA = {
  "@libsql/client": "0.18.0",
  "@prisma/adapter-libsql": "7.10.0",
  "@prisma/adapter-pg": "7.10.0",
  "@prisma/client": "7.10.0",
  "@prisma/driver-adapter-utils": "7.10.0",
  // The commit of the engine that this release of the command loads.
  "@prisma/schema-engine-wasm": "7.10.0-4.0edf323efd1d98336f3f0a68684b56f689b900d3",
  "pg": "8.23.1",
  "prisma": "7.10.0",
};

type Dialect = "sqlite" | "postgresql";

/** A database whose tables a tool makes. */
interface Place {
  dialect: Dialect;
  /** Address for the tool. */
  url: string;
  /** Folder for the tool's files. */
  folder: string;
}

function printed(tool: string, { dialect }: Place, ...more: string[]): Promise<string> {
  const args = ["generate", "auth", "--schema", tool, "--dialect", dialect, ...more];
  return framework(Deno.cwd(), ...args).then(({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return stdout;
  });
}

/** As docs/databases.md says it: the tables, then a migration of their own for what the schema does not express. */
async function migrateByDrizzle(place: Place): Promise<void> {
  const { dialect, url, folder } = place;
  const modules = await installNpmPackages(DRIZZLE);
  await Deno.symlink(modules, join(folder, "node_modules"));
  const config = { dialect, schema: "./schema.ts", out: "./drizzle", dbCredentials: { url } };
  await Deno.writeTextFile(join(folder, "drizzle.config.json"), JSON.stringify(config));
  await Deno.writeTextFile(join(folder, "schema.ts"), await printed("drizzle", place));
  const { oldest } = await findNodes();
  async function kit(...args: string[]): Promise<string> {
    const program = join(folder, "node_modules", "drizzle-kit", "bin.cjs");
    const all = [program, ...args, "--config", "drizzle.config.json"];
    const { stdout, stderr } = await run(oldest, all, { cwd: folder });
    return stdout + stderr;
  }
  await kit("generate", "--name=tables");
  await kit("generate", "--custom", "--name=auth");
  const custom = join(folder, "drizzle", "0001_auth.sql");
  await Deno.writeTextFile(custom, await printed("drizzle", place, "--sql"));
  await kit("migrate");
  assert.match(await kit("generate"), /No schema changes/);
}

async function migrateByPrisma(place: Place): Promise<void> {
  const { dialect, url, folder } = place;
  const modules = await installNpmPackages(PRISMA);
  await Deno.symlink(modules, join(folder, "node_modules"));
  const head = `datasource db {\n  provider = "${dialect}"\n}\n\n`;
  const schema = join(folder, "schema.prisma");
  await Deno.writeTextFile(schema, head + await printed("prisma", place));
  const sql = join(folder, "auth.sql");
  await Deno.writeTextFile(sql, await printed("prisma", place, "--sql"));
  const { oldest } = await findNodes();
  await Deno.copyFile(PROGRAM, join(folder, "prisma.mjs"));
  const { stdout } = await run(oldest, ["prisma.mjs", dialect, url, schema, sql], { cwd: folder });
  const wanted = { appliedMigrationNames: ["1_tables", "2_auth"], difference: null };
  assert.deepEqual(JSON.parse(stdout), wanted);
}

/** A file in the shape of better-sqlite3's, which Kysely takes. */
function kyselyFile(path: string): SqliteDatabase {
  const file = new DatabaseSync(path);
  return {
    close: () => file.close(),
    prepare(text) {
      const statement = file.prepare(text);
      type Values = Parameters<typeof statement.all>;
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...values as Values),
        run: (values) => statement.run(...values as Values) as never,
        iterate: (values) => statement.iterate(...values as Values) as never,
      };
    },
  };
}

/** A migration that runs a text, as docs/databases.md shows it. */
async function runText(db: Kysely<unknown>, text: string): Promise<void> {
  for (const one of text.split(/;\n/)) {
    if (one.trim() !== "") await sql.raw(one).execute(db);
  }
}

async function migrateByKysely({ dialect, url }: Place): Promise<void> {
  const isSqlite = dialect === "sqlite";
  const file = isSqlite ? kyselyFile(url.replace("file:", "")) : null;
  const pool = isSqlite ? null : new Pool({ connectionString: url });
  const db = new Kysely<unknown>({
    dialect: file === null
      ? new PostgresDialect({ pool: pool! })
      : new SqliteDialect({ database: file }),
  });
  const { up } = isSqlite ? authSchema : postgresSchema;
  const profiles = "CREATE TABLE profiles (user_id TEXT REFERENCES users (id))";
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: () =>
        Promise.resolve({
          "1_auth": { up: (db) => runText(db, up) },
          "2_profiles": { up: (db) => runText(db, profiles) },
        }),
    },
  });
  const { error, results } = await migrator.migrateToLatest();
  assert.equal(error, undefined);
  assert.deepEqual(results?.map(({ status }) => status), ["Success", "Success"]);
  assert.deepEqual((await migrator.migrateToLatest()).results, []);
  await db.destroy();
}

const migrators = { drizzle: migrateByDrizzle, prisma: migrateByPrisma, kysely: migrateByKysely };

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

/** Signs up by a mailed link, signs in with the password, and asks who that is. */
async function signsIn(database: SqlDatabase, migrates = true): Promise<void> {
  const mails: string[] = [];
  const auth = createAuth({
    database,
    baseUrl: ORIGIN,
    cookies: { sessionToken: { hostOnly: true } },
    providers: [passwords({ sendMail: ({ text }) => void mails.push(text) })],
  });
  const done = { from: authSchema.version, to: authSchema.version };
  if (migrates) assert.deepEqual(await auth.migrate(), done);
  else await assert.rejects(auth.migrate(), /the migration 0001_auth\.sql made them/);
  let cookies = "";
  async function ask(path: string, fields?: Record<string, string>): Promise<Response> {
    const request = new Request(new URL(path, ORIGIN), {
      headers: { origin: ORIGIN, cookie: cookies },
      ...(fields !== undefined && { method: "POST", body: new URLSearchParams(fields) }),
    });
    const response = (await auth.handle(request, {}, { clientAddress: "203.0.113.1" }))!;
    const jar = new Map(
      cookies.split("; ").filter(Boolean).map((one) => one.split("=") as [string, string]),
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
    }
    cookies = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    return response;
  }
  const password = "four words in a row";
  await ask("/auth/signup", { email: "ada@example.com", password, name: "Ada" });
  const link = new URL(/https:\S+/.exec(mails.at(-1)!)![0]);
  const verified = await ask("/auth/signup/confirm", Object.fromEntries(link.searchParams));
  assert.equal(verified.status, 303, await verified.text());
  cookies = "";
  const signedIn = await ask("/auth/signin/passwords", { email: "ada@example.com", password });
  assert.equal(signedIn.status, 303, await signedIn.text());
  const session = await (await ask("/auth/session")).json();
  assert.equal(session.user?.email, "ada@example.com");
}

const bin = await findPostgres();

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

  // Tracks: AU-05
  Deno.test({
    name:
      `tables of PostgreSQL by ${tool}'s migrator are those of the library, and people sign in` +
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
  const each = { SQLite: "✓", PostgreSQL: "✓", D1: "" };
  assert.deepEqual(table, {
    ...Object.fromEntries(Object.values(TITLES).map((title) => [title, each])),
    "`framework migrate`": { SQLite: "", PostgreSQL: "", D1: "✓" },
  });
});
