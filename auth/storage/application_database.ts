import type { SqlDatabase, SqlStatement } from "./sql_database.ts";
import { pause, PAUSES } from "./sql_executor.ts";
import { onlyReads } from "./only_reads.ts";
import { isPassing, sqliteFailureOf, storageError } from "./sql_errors.ts";

/**
 * The database as an application is given it, for statements of its own: one that does not answer is a
 * `StorageUnavailableError`, which is a 503. A statement that only reads is tried again as the library's own
 * are; one that may write is not, since nobody but the application knows what twice would mean. The library
 * itself uses the database underneath.
 */
export function forApplications(direct: SqlDatabase): SqlDatabase {
  const failureOf = direct.dialect?.failureOf ?? sqliteFailureOf;

  async function attempt<T>(work: () => Promise<T>, repeatable: boolean): Promise<T> {
    for (let tries = 0;; tries++) {
      try {
        return await work();
      } catch (error) {
        const failure = failureOf(error);
        if (!isPassing(failure)) throw error;
        if (!repeatable || failure === "unavailable" || tries === PAUSES.length) {
          throw storageError(error, { failure, operation: "run a statement of the application" });
        }
        await pause(PAUSES[tries]!);
      }
    }
  }

  function wrap(statement: SqlStatement, repeatable: boolean): SqlStatement {
    return {
      // With what the batch of the database underneath knows of it.
      ...statement,
      bind: (...values) => wrap(statement.bind(...values), repeatable),
      first: <T>() => attempt(() => statement.first<T>(), repeatable),
      all: <T>() => attempt(() => statement.all<T>(), repeatable),
      run: () => attempt(() => statement.run(), repeatable),
    };
  }

  const database: SqlDatabase = {
    ...direct,
    prepare: (sql) => wrap(direct.prepare(sql), onlyReads(sql)),
    batch: (statements, options) => attempt(() => direct.batch(statements, options), false),
  };
  // Not copied by whoever spreads the database into one of their own, whose methods are to be used.
  return Object.defineProperty(database, "direct", { value: direct });
}
