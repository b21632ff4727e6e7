// deno-lint-ignore-file camelcase -- the names are the platform's.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { d1Error, sqliteMessage } from "./d1_errors.ts";
import { refusal } from "./d1_refused.ts";
import { type ScannedSql, scanSql } from "./d1_sql.ts";
import { type BoundValue, fromColumnValue, type RowValue } from "./d1_values.ts";

/** What D1 tells about a query. */
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

/** What a query left. */
export interface D1Outcome {
  columns: string[];
  rows: RowValue[][];
  meta: D1Meta;
}

const MAX_PARAMETERS = 100;
const NO_STATEMENT = "SQL code did not contain a statement.";
const WRONG_COUNT = "Wrong number of parameter bindings for SQL query.";
const ONLY_LAST_BINDS =
  "When executing multiple SQL statements in a single call, only the last statement can have " +
  "parameters.";

/**
 * Makes the function that runs queries as one transaction, which is what every call to D1 is.
 * `prefix` and `where` begin the message of the error that it throws.
 */
export function createD1Engine(
  sqlite: DatabaseSync,
): (queries: D1Query[], prefix: string, where: string) => D1Outcome[] {
  const counters = prepareCounters(sqlite);
  return (queries, prefix, where) => send(sqlite, counters, { queries, prefix, where });
}

/** Prepares the statement that a query's numbers are taken from. */
export function prepareCounters(sqlite: DatabaseSync): StatementSync {
  return sqlite.prepare(
    "SELECT total_changes() AS changes, last_insert_rowid() AS rowId, " +
      "page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()",
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

/** Runs one query in whatever transaction is open; throws what SQLite does. */
export function runQuery(
  sqlite: DatabaseSync,
  counters: StatementSync,
  query: D1Query,
): D1Outcome {
  const before = counters.get() as unknown as Counters;
  let rest = query.sql;
  for (;;) {
    const { prepared, scanned, tail } = prepareNext(sqlite, rest);
    const last = tail.trim() === "";
    if (!last && scanned.parameters > 0) throw new Error(ONLY_LAST_BINDS);
    const values = last ? query.values : [];
    if (values.length !== scanned.parameters) throw new Error(WRONG_COUNT);
    const table = readAll(prepared, scanned.order.map((index) => values[index] ?? null));
    if (!last) {
      rest = tail;
      continue;
    }
    return {
      ...table,
      meta: metaBetween(before, counters.get() as unknown as Counters, table.rows.length),
    };
  }
}

function prepareNext(
  sqlite: DatabaseSync,
  sql: string,
): { prepared: StatementSync; scanned: ScannedSql; tail: string } {
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
  if (scanned.text !== head) prepared = sqlite.prepare(scanned.text);
  return { prepared, scanned, tail: sql.slice(head.length) };
}

function readAll(
  prepared: StatementSync,
  values: BoundValue[],
): { columns: string[]; rows: RowValue[][] } {
  prepared.setReadBigInts(true);
  // Node before 22.16 has neither of the two: there a column name is seen once per row only.
  const newer = prepared as StatementSync & { setReturnArrays?(enabled: boolean): void };
  if (typeof newer.columns === "function" && typeof newer.setReturnArrays === "function") {
    newer.setReturnArrays(true);
    const rows = prepared.all(...values) as unknown as unknown[][];
    return {
      columns: prepared.columns().map((column) => column.name),
      rows: rows.map((row) => row.map(fromColumnValue)),
    };
  }
  const objects = prepared.all(...values) as Record<string, unknown>[];
  return {
    columns: Object.keys(objects[0] ?? {}),
    rows: objects.map((row) => Object.values(row).map(fromColumnValue)),
  };
}

interface Counters {
  changes: number;
  rowId: number;
  size: number;
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
