import type { DatabaseSync } from "node:sqlite";
import { type D1Outcome, prepareCounters, runQuery } from "./d1_engine.ts";
import { sqliteMessage } from "./d1_errors.ts";
import { type BoundValue, type RowValue, toBoundValue } from "./d1_values.ts";
import type { ObjectSql, ObjectSqlCursor, ObjectSqlValue } from "@framework/cli/runtime";

/** Makes the `sql` of a durable object's storage over a SQLite connection, which is asked for at each use. */
export function createObjectSql(connect: () => DatabaseSync): ObjectSql {
  let prepared: ReturnType<typeof prepareCounters> | undefined;
  const countersOf = (sqlite: DatabaseSync) => prepared ??= prepareCounters(sqlite);
  return {
    exec<T>(sql: string, ...values: unknown[]): ObjectSqlCursor<T> {
      const bound = values.map(toObjectBound);
      const sqlite = connect();
      const counters = countersOf(sqlite);
      try {
        return createCursor<T>(runQuery(sqlite, counters, { sql: String(sql), values: bound }));
      } catch (error) {
        throw new Error(sqliteMessage(error), { cause: error });
      }
    },
    get databaseSize() {
      return Number(countersOf(connect()).get()?.["size"]);
    },
  };
}

function createCursor<T>({ columns, rows, meta }: D1Outcome): ObjectSqlCursor<T> {
  const values = rows.map((row) => row.map(toObjectValue));
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

/** What is neither number nor bytes becomes text: here the platform converts where D1 refuses. */
function toObjectBound(value: unknown): BoundValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") throw new TypeError("Cannot convert a BigInt value to a number");
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return toBoundValue(value);
  return String(value);
}

/** Here a blob is a buffer; D1, whose answers are JSON, gives a list of bytes. */
function toObjectValue(value: RowValue): ObjectSqlValue {
  return Array.isArray(value) ? Uint8Array.from(value).buffer : value;
}
