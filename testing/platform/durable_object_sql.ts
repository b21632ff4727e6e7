import type { ObjectSql, ObjectSqlCursor, ObjectSqlValue } from "@framework/cli/runtime";
import type { DatabaseSync } from "node:sqlite";
import {
  type BoundValue,
  type D1Outcome,
  prepareCounters,
  runQuery,
  sqliteMessage,
} from "./d1_engine.ts";

/**
 * Creates the `sql` of a durable object's storage over a SQLite connection, which is requested at
 * each use.
 */
export function createObjectSql(connect: () => DatabaseSync): ObjectSql {
  let prepared: ReturnType<typeof prepareCounters> | undefined;
  const countersOf = (sqlite: DatabaseSync) => prepared ??= prepareCounters(sqlite);
  return {
    exec<T>(sql: string, ...values: unknown[]): ObjectSqlCursor<T> {
      const bound = values.map(toObjectBound);
      // The platform runs everything in a transaction of its own.
      if (/^\s*VACUUM\b/i.test(sql)) {
        throw new Error("cannot VACUUM from within a transaction: SQLITE_ERROR");
      }
      const sqlite = connect();
      const counters = countersOf(sqlite);
      try {
        const query = { sql: String(sql), values: bound };
        return createCursor<T>(runQuery(sqlite, counters, query, toObjectValue));
      } catch (error) {
        throw new Error(sqliteMessage(error), { cause: error });
      }
    },
    get databaseSize() {
      return Number(countersOf(connect()).get()?.["size"]);
    },
  };
}

function createCursor<T>(
  { columns, rows: values, meta }: D1Outcome<ObjectSqlValue>,
): ObjectSqlCursor<T> {
  let position = 0;
  const taken = (): ObjectSqlValue[][] => {
    const left = values.slice(position);
    position = values.length;
    return left;
  };
  const toRow = (row: ObjectSqlValue[]) =>
    Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as T;
  const cursor: ObjectSqlCursor<T> = {
    next: () => {
      const row = values[position++];
      return row === undefined
        ? { done: true, value: undefined }
        : { done: false, value: toRow(row) };
    },
    toArray: () => taken().map(toRow),
    one: () => {
      const [row, ...others] = taken();
      if (row === undefined) throw new Error(expectedOne("no results"));
      if (others.length > 0) throw new Error(expectedOne("multiple results"));
      return toRow(row);
    },
    raw: <U extends ObjectSqlValue[]>() => {
      const iterator = (function* () {
        for (let row = values[position++]; row !== undefined; row = values[position++]) {
          yield row as U;
        }
      })();
      return Object.assign(iterator, { toArray: () => taken() as U[] });
    },
    columnNames: columns,
    rowsRead: meta.rows_read,
    rowsWritten: meta.rows_written,
    [Symbol.iterator]: () => ({
      next: () => cursor.next() as IteratorResult<T>,
    }),
  };
  return cursor;
}

function expectedOne(found: string): string {
  return `Expected exactly one result from SQL query, but got ${found}.`;
}

/**
 * Converts a value for SQLite; everything but numbers and bytes becomes text: here the platform
 * converts where D1 refuses.
 */
function toObjectBound(value: unknown): BoundValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") throw new TypeError("Cannot convert a BigInt value to a number");
  if (value instanceof ArrayBuffer) return new Uint8Array(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  // Not String(), which has a text for a symbol.
  return `${value}`;
}

/** Converts a column's value, which is not JSON as with D1: blobs are buffers, and infinities are there. */
function toObjectValue(value: unknown): ObjectSqlValue {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint8Array) return value.slice().buffer;
  return typeof value === "number" || typeof value === "string" ? value : null;
}
