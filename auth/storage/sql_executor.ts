import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import type { SqlFailure } from "./sql_dialect.ts";
import { sqliteFailureOf, storageError } from "./sql_errors.ts";

/** Runs the statements of one database. */
export interface SqlExecutor {
  /** The statement, parsed by the database's client once however many requests run it. */
  prepare(sql: string): SqlStatement;
  /** Reads the first row at once; undefined where the database is not in the process, or has not done it. */
  readNow<T>(sql: string, ...values: SqlValue[]): T | null | undefined;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
  /** What an error of the database means; null for whatever the storage does not act on. */
  failureOf(error: unknown): SqlFailure | null;
  /**
   * Does what changes nothing, or what comes to the same when it is done twice. A connection that is
   * lost meanwhile is no failure yet: it is tried again.
   */
  repeat<T>(operation: string, work: () => Promise<T>): Promise<T>;
  /** Does what must not happen twice. It is tried again only when the database took it back. */
  once<T>(operation: string, work: () => Promise<T>): Promise<T>;
}

const PAUSES = [25, 100];

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const preparers = new WeakMap<SqlDatabase, (sql: string) => SqlStatement>();

function createPreparer(database: SqlDatabase): (sql: string) => SqlStatement {
  const prepared = new Map<string, SqlStatement>();
  return function prepare(sql) {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}

/** Makes the executor of a database; two of one database share the prepared statements. */
export function createSqlExecutor(database: SqlDatabase): SqlExecutor {
  let prepare = preparers.get(database);
  if (prepare === undefined) {
    prepare = createPreparer(database);
    preparers.set(database, prepare);
  }
  const failureOf = database.dialect?.failureOf ?? sqliteFailureOf;

  async function attempt<T>(
    operation: string,
    work: () => Promise<T>,
    repeatable: boolean,
  ): Promise<T> {
    for (let tries = 0;; tries++) {
      try {
        return await work();
      } catch (error) {
        const failure = failureOf(error);
        const again = failure === "undone" || (failure === "lost" && repeatable);
        if (!again || tries === PAUSES.length) {
          throw storageError(error, { failure, operation, schema: database.dialect?.schema });
        }
        await pause(PAUSES[tries]!);
      }
    }
  }

  return {
    prepare,
    readNow(sql, ...values) {
      try {
        return database.readNow?.(sql, ...values);
      } catch {
        // May pass, such as a lock: whoever asked asks again, with time.
        return undefined;
      }
    },
    batch: (statements) => database.batch(statements),
    failureOf,
    repeat: (operation, work) => attempt(operation, work, true),
    once: (operation, work) => attempt(operation, work, false),
  };
}

/** How many rows a statement changed. */
export function changesOf(result: SqlResult | undefined): number {
  return result?.meta.changes ?? 0;
}
