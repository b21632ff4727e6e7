// deno-lint-ignore-file camelcase -- the names are the platform's.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type ScannedSql, scanSql } from "./d1_sql.ts";

// Result codes of SQLite, https://sqlite.org/rescode.html
const PRIMARY: Record<number, string> = {
  1: "ERROR",
  2: "INTERNAL",
  3: "PERM",
  4: "ABORT",
  5: "BUSY",
  6: "LOCKED",
  7: "NOMEM",
  8: "READONLY",
  9: "INTERRUPT",
  10: "IOERR",
  11: "CORRUPT",
  12: "NOTFOUND",
  13: "FULL",
  14: "CANTOPEN",
  17: "SCHEMA",
  18: "TOOBIG",
  19: "CONSTRAINT",
  20: "MISMATCH",
  21: "MISUSE",
  23: "AUTH",
  25: "RANGE",
};

const CONSTRAINT: Record<number, string> = {
  1: "CHECK",
  2: "COMMITHOOK",
  3: "FOREIGNKEY",
  4: "FUNCTION",
  5: "NOTNULL",
  6: "PRIMARYKEY",
  7: "TRIGGER",
  8: "UNIQUE",
  9: "VTAB",
  10: "ROWID",
  11: "PINNED",
  12: "DATATYPE",
};

/**
 * Returns SQLite's message followed by the code, as D1 writes it: `UNIQUE constraint failed: t.a:
 * SQLITE_CONSTRAINT (…)`.
 */
export function sqliteMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error ? Reflect.get(error, "errcode") : undefined;
  if (typeof code !== "number") return message;
  const primary = PRIMARY[code & 0xff];
  if (primary === undefined) return message;
  const extended = primary === "CONSTRAINT" ? CONSTRAINT[code >> 8] : undefined;
  const suffix = extended === undefined ? "" : ` (extended: SQLITE_CONSTRAINT_${extended})`;
  return `${message}: SQLITE_${primary}${suffix}`;
}

/** Creates the error that D1 throws: a prefixed message, with the unprefixed one as its cause. */
export function d1Error(prefix: string, message: string): Error {
  return new Error(`${prefix}: ${message}`, { cause: new Error(message) });
}

/** Bound value for SQLite. */
export type BoundValue = number | string | null | Uint8Array;

/** Value of a column: D1 answers in JSON, so a blob is an array of bytes. */
export type RowValue = number | string | null | number[];

/**
 * Converts a value given to `bind()` as D1 does: booleans become 0 and 1, buffers and arrays of
 * bytes become blobs, and every number is a REAL until a column's affinity says otherwise.
 *
 * @throws {Error} `D1_TYPE_ERROR` for `undefined`, dates, objects, bigints, symbols and functions.
 */
export function toBoundValue(value: unknown): BoundValue {
  if (typeof value === "number") {
    // The value travels as JSON, which has neither infinities nor a negative zero.
    return Number.isFinite(value) ? (value === 0 ? 0 : value) : null;
  }
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null) return null;
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value)) return Uint8Array.from(Array.from(value as Uint8Array));
  if (Array.isArray(value) && value.every(isByte)) return Uint8Array.from(value);
  throw d1Error(
    "D1_TYPE_ERROR",
    `Type '${typeof value}' not supported for value '${String(value)}'`,
  );
}

/** Converts a value from SQLite to its form in D1's JSON. */
function fromColumnValue(value: unknown): RowValue {
  if (typeof value === "bigint") return Number(value);
  // Adding makes a zero of a negative one.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (value instanceof Uint8Array) return Array.from(value);
  return typeof value === "string" ? value : null;
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 256;
}

// D1 runs inside of a Durable Object's SQLite, whose own texts these are.
const TRANSACTION = "To execute a transaction, please use the state.storage.transaction() or " +
  "state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT " +
  "statements. The JavaScript API is safer because it will automatically roll back on " +
  "exceptions, and because it interacts correctly with Durable Objects' automatic atomic write " +
  "coalescing.";
const NOT_AUTHORIZED = "not authorized: SQLITE_AUTH";

const TRANSACTION_WORDS = new Set(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);

const ALLOWED_PRAGMAS = new Set([
  "CASE_SENSITIVE_LIKE",
  "DATA_VERSION",
  "DEFER_FOREIGN_KEYS",
  "FOREIGN_KEYS",
  "FOREIGN_KEY_CHECK",
  "FOREIGN_KEY_LIST",
  "IGNORE_CHECK_CONSTRAINTS",
  "INDEX_INFO",
  "INDEX_LIST",
  "INDEX_XINFO",
  "LEGACY_ALTER_TABLE",
  "OPTIMIZE",
  "QUICK_CHECK",
  "RECURSIVE_TRIGGERS",
  "REVERSE_UNORDERED_SELECTS",
  "TABLE_INFO",
  "TABLE_LIST",
  "TABLE_XINFO",
]);

/** Returns the message with which D1 refuses a statement, or null for one that it runs. */
function refusal(scanned: ScannedSql): string | null {
  const words = scanned.keywords.filter((word) => !["EXPLAIN", "QUERY", "PLAN"].includes(word));
  const [first = "", second = "", third = ""] = words;
  if (TRANSACTION_WORDS.has(first)) return TRANSACTION;
  if (first === "ATTACH" || first === "DETACH") return NOT_AUTHORIZED;
  if (first === "CREATE" && (second === "TEMP" || second === "TEMPORARY")) return NOT_AUTHORIZED;
  if (first === "PRAGMA") {
    const name = second === "MAIN" || second === "TEMP" ? third : second;
    return ALLOWED_PRAGMAS.has(name) ? null : NOT_AUTHORIZED;
  }
  return null;
}

/** Metadata of a D1 query. */
export interface D1Meta {
  /** Always 0: nothing travels. */
  duration: number;
  /** Rows inserted, updated and deleted. */
  changes: number;
  last_row_id: number;
  changed_db: boolean;
  /** Bytes of the database afterwards. */
  size_after: number;
  /** Rows returned; the platform counts rows scanned. */
  rows_read: number;
  /** Rows changed; the platform counts index entries too. */
  rows_written: number;
  served_by: string;
}

/** One statement text (or several) with the values of its last statement. */
export interface D1Query {
  sql: string;
  values: BoundValue[];
}

/** Outcome of a query. */
export interface D1Outcome<Value = RowValue> {
  columns: string[];
  rows: Value[][];
  meta: D1Meta;
}

const MAX_PARAMETERS = 100;
const NO_STATEMENT = "SQL code did not contain a statement.";
const WRONG_COUNT = "Wrong number of parameter bindings for SQL query.";
const ONLY_LAST_BINDS =
  "When executing multiple SQL statements in a single call, only the last statement can have " +
  "parameters.";

/**
 * Creates the function that runs the queries of one D1 call in one transaction.
 * `prefix` and `where` begin the message of the error that it throws.
 */
export function createD1Engine(
  sqlite: DatabaseSync,
): (queries: D1Query[], prefix: string, where: string) => D1Outcome[] {
  const counters = prepareCounters(sqlite);
  return (queries, prefix, where) => send(sqlite, counters, { queries, prefix, where });
}

/** Prepares the statement that reads a query's counters. */
export function prepareCounters(sqlite: DatabaseSync): StatementSync {
  return sqlite.prepare(
    // Rounded, as in D1's JSON: an integer above 2^53 would be an error of each query after it.
    "SELECT total_changes() AS changes, CAST(last_insert_rowid() AS REAL) AS rowId, " +
      "(page_count - freelist_count) * page_size AS size, schema_version AS version " +
      "FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size(), pragma_schema_version()",
  );
}

interface Call {
  queries: D1Query[];
  prefix: string;
  where: string;
}

function send(sqlite: DatabaseSync, counters: StatementSync, call: Call): D1Outcome[] {
  const { queries, prefix, where } = call;
  const present = queries.filter((query) => query.sql.replace(/^\s+--.*/gm, "").trim() !== "");
  if (present.length === 0) throw d1Error(prefix, `${where}No SQL statements detected.`);
  sqlite.exec("BEGIN");
  try {
    const outcomes = present.map((query) => runQuery(sqlite, counters, query));
    sqlite.exec("COMMIT");
    return outcomes;
  } catch (error) {
    // Some failures (a full database, RAISE(ROLLBACK)) have ended the transaction themselves.
    try {
      sqlite.exec("ROLLBACK");
    } catch { /* nothing is left to roll back */ }
    throw d1Error(prefix, where + sqliteMessage(error));
  }
}

/**
 * Runs one query in the open transaction; throws SQLite's errors.
 *
 * @param convert Converts a column's value. Default: as D1's JSON has it.
 */
export function runQuery<Value = RowValue>(
  sqlite: DatabaseSync,
  counters: StatementSync,
  query: D1Query,
  convert = fromColumnValue as (value: unknown) => Value,
): D1Outcome<Value> {
  const before = counters.get() as unknown as Counters;
  let rest = query.sql;
  for (;;) {
    const { prepared, scanned, names, tail } = prepareNext(sqlite, rest, before.version);
    const last = tail.trim() === "";
    if (!last && scanned.parameters > 0) throw new Error(ONLY_LAST_BINDS);
    const values = last ? query.values : [];
    if (values.length !== scanned.parameters) throw new Error(WRONG_COUNT);
    const bound = scanned.order.map((index) => values[index] ?? null);
    const { columns, rows } = readAll(prepared, bound, convert);
    if (!last) {
      rest = tail;
      continue;
    }
    const after = counters.get() as unknown as Counters;
    return { columns: names ?? columns, rows, meta: metaBetween(before, after, rows.length) };
  }
}

/** The first statement of a text, and what of the text is behind it. */
interface Prepared {
  prepared: StatementSync;
  scanned: ScannedSql;
  /** Names of its columns, where its own text gives other ones than the one that is prepared; null elsewhere. */
  names: string[] | null;
  tail: string;
}

/** Statements of a connection by their text, made while its tables had this version. */
interface Kept {
  version: number;
  statements: Map<string, Prepared>;
}

// An application repeats a few hundred texts, and to prepare one takes as long as to run it.
const MOST_KEPT = 500;
const kept = new WeakMap<DatabaseSync, Kept>();

function prepareNext(sqlite: DatabaseSync, sql: string, version: number): Prepared {
  let known = kept.get(sqlite);
  if (known?.version !== version) kept.set(sqlite, known = { version, statements: new Map() });
  const { statements } = known;
  const found = statements.get(sql);
  if (found !== undefined) return found;
  const made = prepareFirst(sqlite, sql);
  // What changes tables makes another version, and hardly comes again.
  if (made.tail !== "" || !REPEATED.has(made.scanned.keywords[0] ?? "")) return made;
  if (statements.size >= MOST_KEPT) statements.clear();
  statements.set(sql, made);
  return made;
}

const REPEATED = new Set(["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"]);

function prepareFirst(sqlite: DatabaseSync, sql: string): Prepared {
  const whole = scanSql(sql);
  // Also keeps Deno 2.9 alive, which crashes when it prepares a text without a statement.
  if (whole.keywords.length === 0) throw new Error(NO_STATEMENT);
  const refused = refusal(whole);
  if (refused !== null) throw new Error(refused);
  let prepared = sqlite.prepare(sql);
  // SQLite itself says where its first statement ends.
  const head = prepared.sourceSQL;
  const scanned = head.length === sql.length ? whole : scanSql(head);
  if (scanned.parameters > MAX_PARAMETERS) {
    throw new Error("too many SQL variables: SQLITE_ERROR");
  }
  let names: string[] | null = null;
  if (scanned.text !== head) {
    // A column without a name has the text of its expression, parameters included.
    names = columnNames(prepared);
    prepared = sqlite.prepare(scanned.text);
  }
  return { prepared, scanned, names, tail: sql.slice(head.length) };
}

/** Names of a statement's columns; null on Node before 22.16, which does not tell them. */
function columnNames(prepared: StatementSync): string[] | null {
  const { columns } = prepared as Partial<StatementSync>;
  return columns?.call(prepared).map(({ name }) => name) ?? null;
}

function readAll<Value>(
  prepared: StatementSync,
  values: BoundValue[],
  convert: (value: unknown) => Value,
): { columns: string[]; rows: Value[][] } {
  prepared.setReadBigInts(true);
  // Node before 22.16 has neither method; there, duplicate column names collapse into one per row.
  const newer = prepared as StatementSync & { setReturnArrays?(enabled: boolean): void };
  const columns = columnNames(prepared);
  if (columns !== null && typeof newer.setReturnArrays === "function") {
    newer.setReturnArrays(true);
    const rows = prepared.all(...values) as unknown as unknown[][];
    return { columns, rows: rows.map((row) => row.map(convert)) };
  }
  const objects = prepared.all(...values) as Record<string, unknown>[];
  return {
    columns: Object.keys(objects[0] ?? {}),
    rows: objects.map((row) => Object.values(row).map(convert)),
  };
}

interface Counters {
  changes: number;
  rowId: number;
  size: number;
  /** Changes with every table, index and trigger. */
  version: number;
}

function metaBetween(before: Counters, after: Counters, rows: number): D1Meta {
  const changes = after.changes - before.changes;
  return {
    served_by: "@framework/testing",
    duration: 0,
    changes,
    last_row_id: after.rowId,
    changed_db: changes !== 0 || after.rowId !== before.rowId || after.size !== before.size,
    size_after: after.size,
    rows_read: rows,
    rows_written: changes,
  };
}
