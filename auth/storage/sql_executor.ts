import { storageError, transience } from "./sql_errors.ts";
import type { SqlDatabase, SqlResult, SqlStatement } from "./sql_database.ts";

/** Runs the statements of one database. */
export interface SqlExecutor {
  /** The statement, parsed by the database's client once however many requests run it. */
  prepare(sql: string): SqlStatement;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
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

  async function attempt<T>(
    operation: string,
    work: () => Promise<T>,
    repeatable: boolean,
  ): Promise<T> {
    for (let tries = 0;; tries++) {
      try {
        return await work();
      } catch (error) {
        const kind = transience(error);
        const again = kind === "undone" || (kind === "unknown" && repeatable);
        if (!again || tries === PAUSES.length) throw storageError(error, operation);
        await pause(PAUSES[tries]!);
      }
    }
  }

  return {
    prepare,
    batch: (statements) => database.batch(statements),
    repeat: (operation, work) => attempt(operation, work, true),
    once: (operation, work) => attempt(operation, work, false),
  };
}

/** How many rows a statement changed. */
export function changesOf(result: SqlResult | undefined): number {
  return result?.meta.changes ?? 0;
}
