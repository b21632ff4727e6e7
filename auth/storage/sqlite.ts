/**
 * SQLite databases of several drivers in the shape of D1.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { wrongOption } from "../lib/options.ts";
import { type LibsqlClient, libsqlDatabase } from "./libsql.ts";
import { objectDatabase, type ObjectSqlStorage } from "./durable_object.ts";
import { driverName, narrow } from "./rows.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import { forApplications } from "./sql_executor.ts";
import { withMigrate } from "./upgrade.ts";

/** Values that SQLite accepts and returns: TEXT, INTEGER and REAL, INTEGER beyond 2^53, NULL, BLOB. */
export type SqliteValue = string | number | bigint | null | Uint8Array;

/** A statement of a {@linkcode SqliteDatabase}: it takes values of {@linkcode SqliteValue}. */
export interface SqliteStatement {
  /** Runs the statement and gives all rows. */
  all(...values: never[]): unknown[];
  /** Runs the statement and gives the first row. */
  get?(...values: never[]): unknown;
  /** Runs the statement and tells what it did. */
  run(...values: never[]): {
    /** Number of changed rows. */
    changes: number | bigint;
    /** The id of the row that was inserted last. */
    lastInsertRowid: number | bigint;
  };
  /** Makes integers come as bigints, of which no number is too large. */
  setReadBigInts?(enabled: boolean): void;
  /** Makes rows come as arrays of their values. */
  setReturnArrays?(enabled: boolean): void;
  /** The columns of the rows, in order. */
  columns?(): { name: string }[];
}

/**
 * A SQLite database in the process: the part of `DatabaseSync`, of better-sqlite3 or of `bun:sqlite` that is needed
 * here.
 */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Makes a statement of one text, with `?1`, `?2`, … for values. */
  prepare(sql: string): SqliteStatement;
}

/** Handles that {@linkcode sqlite} accepts, recognized by their methods. */
export type SqliteHandle = SqliteDatabase | LibsqlClient | ObjectSqlStorage;

interface AdaptedStatement extends SqlStatement {
  execute(): SqlResult;
}

const READS = /^\s*(?:SELECT|VALUES|PRAGMA|EXPLAIN)\b/i;
const RETURNS_ROWS = /^\s*WITH\b|\bRETURNING\b/i;

function toSqlite(value: SqlValue): SqliteValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

function readLarge(statement: PreparedStatement, values: SqliteValue[]): unknown[] {
  statement.setReadBigInts?.(true);
  try {
    return statement.all(...values).map(narrow);
  } finally {
    statement.setReadBigInts?.(false);
  }
}

/** Kind of a statement, determined once, and the statement, prepared when it first runs. */
interface Prepared {
  sql: string;
  kind: "reads" | "returns rows" | "changes";
  statement?: PreparedStatement;
}

function kindOf(sql: string): Prepared["kind"] {
  if (READS.test(sql)) return "reads";
  return RETURNS_ROWS.test(sql) ? "returns rows" : "changes";
}

/** Reads rows. `node:sqlite` throws for an integer that no number holds, which is not every row's fault. */
function read(statement: PreparedStatement, values: SqliteValue[]): unknown[] {
  try {
    return statement.all(...values);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return readLarge(statement, values);
  }
}

/** Reads the first row, as {@linkcode read} does. */
function readFirst(statement: PreparedStatement, values: SqliteValue[]): unknown {
  if (statement.get === undefined) return read(statement, values)[0];
  try {
    return statement.get(...values);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return readLarge(statement, values)[0];
  }
}

/**
 * Creates the function that reads the first row of a statement. Objects of `node:sqlite` are built
 * name by name, and are slow to read: building a row from an array takes half the time.
 */
function firstRowReader(statement: PreparedStatement): (values: SqliteValue[]) => unknown {
  if (statement.setReturnArrays === undefined || statement.columns === undefined) {
    return (values) => readFirst(statement, values);
  }
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return (values) => {
    const found = readFirst(statement, values) as Record<number, unknown> | undefined;
    if (found === undefined) return undefined;
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) row[names[index]!] = found[index];
    return row;
  };
}

/** Runs work so that any error, also one before the statement is prepared, rejects the promise. */
function promise<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

/** Options of {@linkcode sqlite}, for files. */
export interface SqliteDatabaseOptions {
  /**
   * Milliseconds that a statement waits while another process writes, during which this process does nothing else. The
   * library tries three times. Default 2,000.
   */
  busyTimeout?: number;
  /**
   * Puts the file permanently into the mode in which readers and a writer do not wait for each
   * other (`journal_mode = WAL`), with each commit on the disk before it is acknowledged
   * (`synchronous = FULL`). Set `false` for a file in a network folder, where SQLite does not
   * support it. Default true.
   */
  wal?: boolean;
}

/** Has statements wait for other processes. What is no database of SQLite is found out afterwards. */
function waitForOthers(database: SqliteDatabase, milliseconds: number): void {
  try {
    const said: unknown = database.exec(`PRAGMA busy_timeout = ${milliseconds}`);
    Promise.resolve(said).catch(() => {});
  } catch {
    // Nor is one that is closed.
  }
}

/** Puts the file into the mode for several processes; one that can only be read stays in the mode that it has. */
function writeAhead(database: SqliteDatabase): void {
  try {
    // For better-sqlite3, which leaves it to chance if a commit is on the disk when the machine stops:
    // a session that was ended would be signed in again.
    database.exec("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL");
  } catch {
    // Another process writes, or does the same: whoever opens the file next finds it done, or does it.
  }
}

/**
 * The database for `createAuth({ database })` over an open handle of SQLite, whatever its driver:
 *
 * - `DatabaseSync` of `node:sqlite`, in Node 22.13 or newer and in Deno
 * - `Database` of better-sqlite3, in Node 20 too
 * - `Database` of `bun:sqlite`
 * - a client of `@libsql/client`, for a file or a server
 * - the storage of a durable object that has SQLite (`ctx.storage`)
 *
 * It turns the enforcement of foreign keys on, and lets several processes work with one file: readers wait for nobody
 * (WAL), and writers for each other; what was acknowledged is on the disk (`synchronous = FULL`). What the application
 * asks it by `prepare()` is a 503 when the database cannot be used, and tried again when it only reads.
 *
 * @param handle The open database. It stays the application's to close.
 * @param options `busyTimeout` in milliseconds, default 2,000; `wal`, default true. Both are for files.
 * @throws {ConfigurationError} For a handle of another kind; the message names it.
 *
 * @example
 * ```ts
 * import { createAuth } from "@framework/auth";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { deepEqual } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // or a path
 * const database = sqlite(file);
 * const auth = createAuth({ database });
 *
 * const row = await database.prepare("SELECT ?1 AS answer").bind(42).first();
 * deepEqual(row, { answer: 42 });
 * ```
 */
export function sqlite(handle: SqliteHandle, options: SqliteDatabaseOptions = {}): SqlDatabase {
  const { busyTimeout = 2000, wal = true } = options;
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0) {
    throw wrongOption("busyTimeout", busyTimeout, "a whole number of milliseconds, or 0");
  }
  const found = { busyTimeout, wal };
  if (isLibsql(handle)) return withMigrate(libsqlDatabase(handle, found));
  return withMigrate(isObject(handle) ? objectDatabase(handle) : fileDatabase(handle, found));
}

function has(handle: unknown, ...methods: string[]): boolean {
  const found = Object(handle);
  return methods.every((name) => typeof found[name] === "function");
}

function isLibsql(handle: unknown): handle is LibsqlClient {
  return has(handle, "execute", "batch", "executeMultiple");
}

function isObject(handle: unknown): handle is ObjectSqlStorage {
  return has(handle, "transactionSync") && has((handle as ObjectSqlStorage).sql, "exec");
}

/** A database in the process, in the shape of D1. */
function fileDatabase(
  database: SqliteDatabase,
  { busyTimeout, wal }: Required<SqliteDatabaseOptions>,
): SqlDatabase {
  // First: another process may have the file in its hands already.
  waitForOthers(database, busyTimeout);
  const prepare = sqlitePrepare(database);
  database.exec("PRAGMA foreign_keys = ON");
  if (wal) writeAhead(database);

  function statementOf(prepared: Prepared): PreparedStatement {
    return prepared.statement ??= prepare(prepared.sql);
  }

  function adapt(prepared: Prepared, values: SqliteValue[]): AdaptedStatement {
    function execute(): SqlResult {
      const statement = statementOf(prepared);
      if (prepared.kind === "reads") {
        return { results: read(statement, values), meta: { changes: 0 } };
      }
      // better-sqlite3 gives no rows of what has none, such as WITH … before an UPDATE: it refuses.
      if (prepared.kind === "returns rows" && statement.reader !== false) {
        // Not tried with numbers first: the second try would do the work twice.
        const results = readLarge(statement, values);
        return { results, meta: { changes: results.length } };
      }
      const { changes, lastInsertRowid } = statement.run(...values);
      const meta = { changes: Number(changes), ["last_row_id"]: Number(lastInsertRowid) };
      return { results: [], meta };
    }
    function first(): unknown {
      if (prepared.kind !== "reads") return execute().results[0] ?? null;
      return readFirst(statementOf(prepared), values) ?? null;
    }
    return {
      of: database,
      execute,
      bind: (...bound) => adapt(prepared, bound.map(toSqlite)),
      first: <T>() => promise(first as () => T | null),
      all: <T>() => promise(() => execute() as SqlResult<T>),
      run: () => promise(execute),
    };
  }

  // Of what is read at once, for which nobody keeps the statement.
  const readers = new Map<string, (values: SqliteValue[]) => unknown>();

  return forApplications({
    readNow<T>(sql: string, ...values: SqlValue[]): T | null {
      let readRow = readers.get(sql);
      if (readRow === undefined) {
        readRow = firstRowReader(prepare(sql));
        readers.set(sql, readRow);
      }
      return (readRow(values.map(toSqlite)) ?? null) as T | null;
    },
    prepare: (sql) => adapt({ sql, kind: kindOf(sql) }, []),
    batch: (statements) =>
      promise(() => {
        database.exec("BEGIN IMMEDIATE");
        try {
          const results = (statements as AdaptedStatement[]).map((one) => one.execute());
          database.exec("COMMIT");
          return results;
        } catch (error) {
          rollBack(database);
          throw error;
        }
      }),
  });
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has done it already, as it does when the disk is full.
  }
}

/** A statement, however its driver wants the values. */
interface PreparedStatement extends SqliteStatement {
  all(...values: SqliteValue[]): unknown[];
  get?(...values: SqliteValue[]): unknown;
  run(...values: SqliteValue[]): ReturnType<SqliteStatement["run"]>;
  /** Of better-sqlite3: false for a statement without rows. */
  readonly reader?: boolean;
  /** Of better-sqlite3: what `setReadBigInts()` is of `node:sqlite`. */
  safeIntegers?(enabled: boolean): unknown;
}

/** Makes a statement whose `?1`, `?2`, … are the values, in order. */
export type PrepareSqlite = (sql: string) => PreparedStatement;

/**
 * Ways to pass the values of `?1`, `?2`, … to a driver: in order, or as one object by name. The
 * names begin with the question mark in Node before 22.20, and in 24 before 24.7, but not in
 * better-sqlite3.
 */
const STYLES = [{ prefix: null }, { prefix: "?" }, { prefix: "" }] as const;

function prepareWith(database: SqliteDatabase, sql: string): PreparedStatement {
  return database.prepare(sql) as PreparedStatement;
}

/** Tries a style. */
function takes(database: SqliteDatabase, { prefix }: (typeof STYLES)[number]): boolean {
  try {
    const value = prefix === null ? 1 : { [`${prefix}1`]: 1 } as unknown as SqliteValue;
    const [row] = prepareWith(database, "SELECT ?1 AS one").all(value);
    return (row as { one: unknown }).one === 1;
  } catch {
    return false;
  }
}

/** The numbers in a statement, but for those in its texts. */
function numbersIn(sql: string): number[] {
  const bare = sql.replace(/'[^']*'/g, "");
  return [...new Set([...bare.matchAll(/\?(\d+)/g)].map(([, digits]) => Number(digits)))];
}

/** The statement of a driver that wants names. It takes them as one object, in the place of the values. */
function byName(
  statement: PreparedStatement,
  { numbers, prefix }: { numbers: readonly number[]; prefix: string },
): PreparedStatement {
  function named(values: SqliteValue[]): SqliteValue[] {
    if (numbers.length === 0) return values;
    const names = Object.fromEntries(
      numbers.map((number) => [`${prefix}${number}`, values[number - 1] ?? null]),
    );
    return [names as unknown as SqliteValue];
  }
  return {
    all: (...values) => statement.all(...named(values)),
    run: (...values) => statement.run(...named(values)),
    setReadBigInts(enabled) {
      if (statement.safeIntegers !== undefined) statement.safeIntegers(enabled);
      else statement.setReadBigInts?.(enabled);
    },
    ...(statement.get !== undefined && { get: (...values) => statement.get!(...named(values)) }),
    ...(statement.reader !== undefined && { reader: statement.reader }),
  };
}

/** The error of a database that answers nothing, such as one that is closed, locked or no database; null for none. */
function findFailure(database: SqliteDatabase): Error | null {
  try {
    // Its header is looked at with the first table.
    prepareWith(database, "SELECT 1 FROM sqlite_schema LIMIT 1").all();
    return null;
  } catch (error) {
    return error instanceof Error && !(error instanceof TypeError) ? error : null;
  }
}

/**
 * Finds out how a database is given values.
 *
 * @throws {ConfigurationError} For what is no open SQLite database that answers at once, with the error of the driver.
 */
export function sqlitePrepare(database: SqliteDatabase): PrepareSqlite {
  const isOne = typeof database?.prepare === "function" && typeof database.exec === "function";
  const style = isOne ? STYLES.find((style) => takes(database, style)) : undefined;
  if (style === undefined) {
    const cause = isOne ? findFailure(database) : null;
    if (cause !== null) {
      throw new ConfigurationError(`sqlite() cannot read the database: ${cause.message}`, {
        field: "database",
        cause,
      });
    }
    throw new ConfigurationError(
      `sqlite() cannot use ${
        driverName(database)
      }: it takes an open DatabaseSync of node:sqlite, Database of ` +
        "better-sqlite3 or of bun:sqlite, a client of @libsql/client, or ctx.storage of a durable object. For any " +
        "other driver give `database` an object with the shape of D1: batch(), and prepare(), whose statements have " +
        "bind(), first(), all() and run()",
      { field: "database" },
    );
  }
  const { prefix } = style;
  if (prefix === null) return (sql) => prepareWith(database, sql);
  return (sql) => byName(prepareWith(database, sql), { numbers: numbersIn(sql), prefix });
}
