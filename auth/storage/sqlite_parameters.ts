import { ConfigurationError } from "../errors/configuration_error.ts";
import type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite_database.ts";

/** A statement, however its driver wants the values. */
export interface PreparedStatement extends SqliteStatement {
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
 * How a driver is given the values of `?1`, `?2`, …: in order; or as one object by name, which in Node before 22.20,
 * and of 24 before 24.7, begins with the question mark, and does not in better-sqlite3.
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

/** What a driver calls itself, for a message. */
function nameOf(value: unknown): string {
  const name = (value as { constructor?: { name?: unknown } } | null | undefined)?.constructor
    ?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? name : "an object";
}

/**
 * Finds out how a database is given values.
 *
 * @throws {ConfigurationError} For what is no open SQLite database that answers at once.
 */
export function sqlitePrepare(database: SqliteDatabase): PrepareSqlite {
  const isOne = typeof database?.prepare === "function" && typeof database.exec === "function";
  const style = isOne ? STYLES.find((style) => takes(database, style)) : undefined;
  if (style === undefined) {
    throw new ConfigurationError(
      `createSqliteDatabase() cannot use ${
        nameOf(database)
      }: it takes an open database that answers at once, ` +
        "DatabaseSync of node:sqlite or Database of better-sqlite3. For any other driver give `database` an " +
        "object with the shape of D1: batch(), and prepare(), whose statements have bind(), first(), all() and run()",
      { field: "database" },
    );
  }
  const { prefix } = style;
  if (prefix === null) return (sql) => prepareWith(database, sql);
  return (sql) => byName(prepareWith(database, sql), { numbers: numbersIn(sql), prefix });
}
