import process from "node:process";
import type { DatabaseSync } from "node:sqlite";

type SqliteModule = typeof import("node:sqlite");

/** Members of newer versions of `node:sqlite` that Node 22.13 lacks. */
interface NewerDatabase {
  limits?: Record<string, number>;
  serialize?(): Uint8Array;
  deserialize?(image: Uint8Array): void;
}

// Limits that workerd sets on D1's SQLite; the double checks the number of parameters itself.
const D1_LIMITS: Record<string, number> = {
  length: 2_200_000,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  functionArg: 127,
  likePatternLength: 50,
};

/** Migrated database of which each context gets a copy. */
export interface DatabaseImage {
  /** Opens a private copy in memory. */
  open(): DatabaseSync;
}

/** One migration file. */
export interface Migration {
  name: string;
  sql: string;
}

/**
 * Applies the migrations once and stores the result as an image, which is copied in microseconds.
 * Under Node before 26, whose `node:sqlite` cannot serialize a database, each copy runs the SQL again.
 *
 * @throws {Error} Names the migration that failed.
 */
export function createDatabaseImage(migrations: Migration[]): DatabaseImage {
  const template = openDatabase();
  try {
    for (const migration of migrations) apply(template, migration);
    const image = (template as NewerDatabase).serialize?.();
    return {
      open(): DatabaseSync {
        const database = openDatabase();
        if (image === undefined) {
          for (const migration of migrations) database.exec(migration.sql);
        } else {
          (database as NewerDatabase).deserialize?.(image);
        }
        setLimits(database);
        return database;
      },
    };
  } finally {
    template.close();
  }
}

/**
 * Copies a database in memory, rows included. Under Node before 26 it is written anew from its SQL.
 *
 * @param database Connection without an open transaction.
 */
export function copyDatabase(database: DatabaseSync): DatabaseSync {
  const copy = openDatabase();
  const image = (database as NewerDatabase).serialize?.();
  if (image === undefined) copyTables(database, copy);
  else (copy as NewerDatabase).deserialize?.(image);
  setLimits(copy);
  return copy;
}

/** Copies schema and rows by SQL; triggers last, because they would run with each row. */
export function copyTables(from: DatabaseSync, to: DatabaseSync): void {
  const tables = from.prepare("SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    .all();
  const shadows = new Set(tables.filter(({ type }) => type === "shadow").map(({ name }) => name));
  const schema = from.prepare(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' " +
      "ORDER BY type <> 'table', type = 'trigger', rowid",
  ).all().filter(({ name }) => !shadows.has(name));
  to.exec("PRAGMA foreign_keys = OFF; BEGIN");
  for (const { type, name, sql } of schema) {
    to.exec(String(sql));
    if (type === "table") copyRows(from, to, String(name));
  }
  const counted = from.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get();
  if (counted !== undefined) {
    to.exec("DELETE FROM sqlite_sequence");
    copyRows(from, to, "sqlite_sequence");
  }
  to.exec("COMMIT; PRAGMA foreign_keys = ON");
}

function copyRows(from: DatabaseSync, to: DatabaseSync, table: string): void {
  const quote = (name: unknown) => `"${String(name).replaceAll('"', '""')}"`;
  // Generated columns compute themselves.
  const columns = from.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0").all(table)
    .map(({ name }) => quote(name));
  const select = from.prepare(`SELECT ${columns.join(", ")} FROM ${quote(table)}`);
  select.setReadBigInts(true);
  const places = columns.map(() => "?").join(", ");
  const insert = to.prepare(
    `INSERT INTO ${quote(table)} (${columns.join(", ")}) VALUES (${places})`,
  );
  for (const row of select.all()) insert.run(...Object.values(row));
}

function apply(database: DatabaseSync, migration: Migration): void {
  try {
    // In one transaction, as `migrate up` applies it; pragmas also behave as they do there.
    database.exec("BEGIN");
    database.exec(migration.sql);
    database.exec("COMMIT");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Migration ${migration.name} failed in the test database: ${reason}. Fix the file, or run ` +
        "`framework migrate up` to see the failure against the local database.",
      { cause },
    );
  }
}

function setLimits(database: DatabaseSync): void {
  const { limits } = database as NewerDatabase;
  if (limits !== undefined) Object.assign(limits, D1_LIMITS);
}

function openDatabase(): DatabaseSync {
  // Not an import: a bundler or an older Vite would have to know the module's name.
  const sqlite = process.getBuiltinModule("node:sqlite") as SqliteModule | undefined;
  // workerd has the module, and no database in it.
  const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";
  if (sqlite === undefined || isWorker) {
    throw new Error(
      "The test database needs node:sqlite, which this runtime does not have. Run the test with Deno, " +
        "with Node 22.13 or newer, or with vitest outside of the worker pool.",
    );
  }
  // As in D1: a text in double quotes that names no column is a string.
  return new sqlite.DatabaseSync(":memory:", { enableDoubleQuotedStringLiterals: true });
}
