/**
 * The SQL storage of a durable object in the shape of D1.
 *
 * @module
 */

import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import { forApplications } from "./sql_executor.ts";

/** Rows of a statement: the part of `SqlStorageCursor` that is needed here. */
export interface ObjectSqlCursor {
  /** Reads all rows. */
  toArray(): Record<string, unknown>[];
}

/** The storage of a durable object with SQLite: the part of `ctx.storage` that is needed here. */
export interface ObjectSqlStorage {
  /** Its database. */
  readonly sql: {
    /** Runs one statement with the values of `?1`, `?2`, … */
    exec(sql: string, ...values: (string | number | ArrayBuffer | null)[]): ObjectSqlCursor;
  };
  /** Runs work as one transaction, which is taken back when it throws. */
  transactionSync<T>(work: () => T): T;
}

interface Bound extends SqlStatement {
  execute(): SqlResult;
}

function toObject(value: SqlValue): string | number | ArrayBuffer | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof Uint8Array ? value.slice().buffer : value;
}

const READS = /^\s*(?:SELECT|VALUES|PRAGMA|EXPLAIN)\b/i;

/** Gives the storage of a durable object the shape of D1. See `sqlite()`. */
export function objectDatabase(storage: ObjectSqlStorage): SqlDatabase {
  const { sql } = storage;

  function rowsOf(text: string, values: readonly SqlValue[]): Record<string, unknown>[] {
    return sql.exec(text, ...values.map(toObject)).toArray();
  }

  function adapt(text: string, values: readonly SqlValue[]): Bound {
    function execute(): SqlResult {
      const results = rowsOf(text, values);
      if (READS.test(text)) return { results, meta: { changes: 0 } };
      // The cursor's own count has the rows of indexes in it.
      const [did] = rowsOf("SELECT changes() AS changes, last_insert_rowid() AS id", []);
      const meta = { changes: Number(did!.changes), ["last_row_id"]: Number(did!.id) };
      return { results, meta };
    }
    const run = () => Promise.resolve().then(execute);
    return {
      of: storage,
      execute,
      bind: (...bound) => adapt(text, bound),
      first: <T>() => run().then(({ results }) => (results[0] ?? null) as T | null),
      all: run as <T>() => Promise<SqlResult<T>>,
      run,
    };
  }

  return forApplications({
    readNow: <T>(text: string, ...values: SqlValue[]) =>
      (rowsOf(text, values)[0] ?? null) as T | null,
    prepare: (text) => adapt(text, []),
    async batch(statements) {
      return await Promise.resolve().then(() =>
        storage.transactionSync(() => (statements as Bound[]).map((one) => one.execute()))
      );
    },
  });
}
