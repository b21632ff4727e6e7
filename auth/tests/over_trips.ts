import type { StorageTools } from "@framework/testing/storage";
import type { SqlDatabase, SqlStatement } from "../storage/sql_database.ts";

interface SentStatement extends SqlStatement {
  inner: SqlStatement;
}

/** The same database, each statement and each batch of which is one exchange that can be lost. */
export function overTrips(database: SqlDatabase, trip: StorageTools["trip"]): SqlDatabase {
  const wrap = (inner: SqlStatement): SentStatement => ({
    inner,
    bind: (...values) => wrap(inner.bind(...values)),
    first: <T>() => trip(() => inner.first<T>()),
    all: <T>() => trip(() => inner.all<T>()),
    run: () => trip(() => inner.run()),
  });
  return {
    prepare: (sql) => wrap(database.prepare(sql)),
    batch: (statements) =>
      trip(() => database.batch((statements as SentStatement[]).map(({ inner }) => inner))),
  };
}
