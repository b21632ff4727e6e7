// Migrates the tables by tools that people use, and signs somebody in: for the tests of each database.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createAuth, passwords } from "@framework/auth";
import { mariadbSchema } from "@framework/auth/mariadb";
import { postgresSchema } from "@framework/auth/postgres";
import { authSchema, type SqlDatabase } from "@framework/auth/storage";
import {
  type Dialect as KyselyDialect,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  sql,
  type SqliteDatabase,
  SqliteDialect,
} from "kysely";
import { Migrator } from "kysely/migration";
import { createPool } from "mysql2";
import { createConnection } from "mysql2/promise";
import { Client, Pool } from "pg";
import { run } from "../../scripts/run_command.ts";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes } from "../support/node.ts";
import { installNpmPackages, linkNpmPackages } from "../support/npm_packages.ts";

const PROGRAM = fileURLToPath(new URL("./schemas/prisma.mjs", import.meta.url));
const ORIGIN = "https://app.example";

/** Versions that were tried. */
const DRIZZLE = {
  "@libsql/client": "0.18.0",
  "drizzle-kit": "0.31.11",
  "drizzle-orm": "0.45.4",
  "mysql2": "3.24.6",
  "pg": "8.23.1",
};
export const PRISMA = {
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

type Dialect = "sqlite" | "postgresql" | "mysql";

/** A database whose tables a tool makes. */
export interface Place {
  dialect: Dialect;
  /** Address for the tool. */
  url: string;
  /** Folder for the tool's files. */
  folder: string;
}

/** What `framework generate auth --schema` prints. */
export function printed(tool: string, { dialect }: Place, ...more: string[]): Promise<string> {
  const args = ["generate", "auth", "--schema", tool, "--dialect", dialect, ...more];
  return framework(Deno.cwd(), ...args).then(({ code, stdout, stderr }) => {
    assert.equal(code, 0, stderr);
    return stdout;
  });
}

/** Runs a text of several statements on a server. */
async function send({ dialect, url }: Place, text: string): Promise<void> {
  const client = dialect === "postgresql"
    ? new Client(url)
    : await createConnection({ uri: url, multipleStatements: true });
  try {
    if (client instanceof Client) await client.connect();
    await client.query(text.replaceAll("--> statement-breakpoint", ""));
  } finally {
    await client.end();
  }
}

/** As docs/databases.md says it: the tables, then a migration of their own for what the schema does not express. */
async function migrateByDrizzle(place: Place): Promise<void> {
  const { dialect, url, folder } = place;
  const modules = await linkNpmPackages(DRIZZLE);
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
  // How it runs what it has written is the same for each dialect, and takes three more starts.
  if (!inMatrix && dialect !== "sqlite") {
    const tables = await Deno.readTextFile(join(folder, "drizzle", "0000_tables.sql"));
    return await send(place, `${tables}\n${await printed("drizzle", place, "--sql")}`);
  }
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
  if (dialect === "mysql") {
    return await migrateAsPrisma({ url, folder, schema, sql: await Deno.readTextFile(sql) });
  }
  const { oldest } = await findNodes();
  await Deno.copyFile(PROGRAM, join(folder, "prisma.mjs"));
  const { stdout } = await run(oldest, ["prisma.mjs", dialect, url, schema, sql], { cwd: folder });
  const wanted = { appliedMigrationNames: ["1_tables", "2_auth"], difference: null };
  assert.deepEqual(JSON.parse(stdout), wanted);
}

/** The type of a column of MySQL, as Prisma writes it. */
function prismaType(type: string, attributes: string): string {
  if (type === "BigInt") return "BIGINT";
  const length = /@db\.VarChar\((\d+)\)/.exec(attributes)?.[1];
  return length === undefined ? "MEDIUMTEXT" : `VARCHAR(${length})`;
}

/** The columns that a field names, in backquotes. */
function prismaColumns(list: string, columns: ReadonlyMap<string, string>): string {
  return list.split(", ").map((field) => `\`${columns.get(field)}\``).join(", ");
}

/**
 * The migration that Prisma writes for MySQL, of models as this library prints them. Its engine for MySQL is a program
 * that it loads from the internet, so the tables here are made in its words without it.
 */
function prismaMigration(models: string): string {
  const tables: string[] = [];
  const references: string[] = [];
  const parsed = [...models.matchAll(/^model (\w+) \{\n([^]*?)^\}/gm)].map(([, model, body]) => {
    const lines = body!.trim().split("\n").map((line) => line.trim());
    const fields = lines.map((line) => /^(\w+) (String|BigInt)(\?)?(.*)$/.exec(line)).filter((
      one,
    ) => one !== null);
    const columns = new Map(
      fields.map(([, field, , , rest]) => [field!, /@map\("(\w+)"\)/.exec(rest!)?.[1] ?? field!]),
    );
    const table = /@@map\("(\w+)"\)/.exec(body!)![1]!;
    return { model: model!, table, lines, fields, columns };
  });
  for (const { table, lines, fields, columns } of parsed) {
    const made = fields.map(([, field, type, optional, rest]) => {
      const value = /@default\((?:(\d+)|"(.*?)")\)/.exec(rest!);
      const end = value === null ? "" : ` DEFAULT ${value[1] ?? `'${value[2]}'`}`;
      const kind = optional === undefined ? "NOT NULL" : "NULL";
      return `\`${columns.get(field!)}\` ${prismaType(type!, rest!)} ${kind}${end}`;
    });
    const key = fields.find(([, , , , rest]) => / @id\b/.test(rest!))?.[1];
    for (const [, field, , , rest] of fields) {
      const unique = /@unique\(map: "(\w+)"\)/.exec(rest!)?.[1];
      if (unique !== undefined) {
        made.push(`UNIQUE INDEX \`${unique}\`(${prismaColumns(field!, columns)})`);
      }
    }
    let primary = key;
    for (const line of lines) {
      const [, kind, list, name] =
        /^@@(id|unique|index)\(\[(.+?)\](?:, map: "(\w+)")?\)$/.exec(line) ?? [];
      if (kind === "id") primary = list;
      else if (kind !== undefined) {
        const word = kind === "unique" ? "UNIQUE INDEX" : "INDEX";
        made.push(`${word} \`${name}\`(${prismaColumns(list!, columns)})`);
      }
      const relation =
        /^\w+ (\w+)\?? @relation\(".*?", fields: \[(\w+)\], references: \[(\w+)\], onDelete: (\w+)/
          .exec(line);
      if (relation !== null) {
        const [, other, field, otherField, onDelete] = relation;
        const parent = parsed.find(({ model }) => model === other)!;
        references.push(
          `ALTER TABLE \`${table}\` ADD CONSTRAINT \`${table}_${
            columns.get(field!)
          }_fkey\` FOREIGN KEY (${prismaColumns(field!, columns)}) REFERENCES \`${parent.table}\`(${
            prismaColumns(otherField!, parent.columns)
          }) ON DELETE ${onDelete === "Cascade" ? "CASCADE" : "SET NULL"} ON UPDATE NO ACTION`,
        );
      }
    }
    made.push(`PRIMARY KEY (${prismaColumns(primary!, columns)})`);
    tables.push(
      `CREATE TABLE \`${table}\` (\n${
        made.map((line) => `    ${line}`).join(",\n\n")
      }\n) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
    );
  }
  return [...tables, ...references].join(";\n\n") + ";\n";
}

/** The tables in Prisma's words, and what `--sql` prints. Prisma itself checks the models. */
async function migrateAsPrisma({ url, folder, schema, sql }: {
  url: string;
  folder: string;
  schema: string;
  sql: string;
}): Promise<void> {
  const { newest } = await findNodes();
  const program = join(folder, "node_modules", "prisma", "build", "index.js");
  // It asks for the program that migrates before it reads the file, and does not start it.
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: newest };
  const { stdout } = await run(newest, [program, "validate", "--schema", schema], {
    cwd: folder,
    env,
  });
  assert.match(stdout, /is valid/);
  // Sends the whole file at once, as Prisma's program does.
  const connection = await createConnection({ uri: url, multipleStatements: true });
  try {
    const tables = prismaMigration(await Deno.readTextFile(schema));
    await connection.query(tables);
    await assert.rejects(connection.query(sql), /in the place of utf8mb4_unicode_ci/);
    const made = [...tables.matchAll(/CREATE TABLE (`\w+`)/g)].map(([, name]) => name);
    await connection.query(
      `SET FOREIGN_KEY_CHECKS = 0; DROP TABLE ${made.join(", ")}; SET FOREIGN_KEY_CHECKS = 1`,
    );
    // As docs/databases.md says.
    await connection.query(tables.replaceAll("utf8mb4_unicode_ci", "utf8mb4_nopad_bin") + sql);
  } finally {
    await connection.end();
  }
}

/** A file in the shape of better-sqlite3's, which Kysely takes. */
export function kyselyFile(path: string): SqliteDatabase {
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

const TEXTS = {
  sqlite: {
    up: authSchema.up,
    profiles: "CREATE TABLE profiles (user_id TEXT REFERENCES users (id))",
    dialect: (url: string): KyselyDialect =>
      new SqliteDialect({ database: kyselyFile(url.replace("file:", "")) }),
  },
  postgresql: {
    up: postgresSchema.up,
    profiles: "CREATE TABLE profiles (user_id TEXT REFERENCES users (id))",
    dialect: (url: string): KyselyDialect =>
      new PostgresDialect({ pool: new Pool({ connectionString: url }) }),
  },
  mysql: {
    up: mariadbSchema.up,
    profiles: `CREATE TABLE profiles (
  user_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin REFERENCES users (id)
)`,
    dialect: (url: string): KyselyDialect => new MysqlDialect({ pool: createPool(url) }),
  },
};

async function migrateByKysely({ dialect, url }: Place): Promise<void> {
  const { up, profiles, dialect: open } = TEXTS[dialect];
  const db = new Kysely<unknown>({ dialect: open(url) });
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

/** Tools by name, each of which migrates a database. */
export const migrators = {
  drizzle: migrateByDrizzle,
  prisma: migrateByPrisma,
  kysely: migrateByKysely,
};

/** Signs up by a mailed link, signs in with the password, and asks who that is. */
export async function signsIn(database: SqlDatabase, migrates = true): Promise<void> {
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
