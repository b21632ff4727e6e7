import { ConfigurationError } from "../errors/configuration_error.ts";
import { misfitOf, type SchemaMarker, SELECT_MARKER } from "./schema_version.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import type { SqlFailure } from "./sql_dialect.ts";
import { sqliteFailureOf, storageError } from "./sql_errors.ts";

/** Runs the statements of one database. */
export interface SqlExecutor {
  /** The statement, parsed by the database's client once however many requests run it. */
  prepare(sql: string): SqlStatement;
  /** Whether the database is in the process, which does nothing else while it works. */
  inProcess: boolean;
  /** Reads the first row at once; undefined where the database is not in the process, or has not done it. */
  readNow<T>(sql: string, ...values: SqlValue[]): T | null | undefined;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
  /**
   * Reads the version of the tables, once; undefined when that has begun before. While it is under way,
   * operations on a server wait for it beside their own work, and those on a worker do not.
   *
   * @param isWorker True on workerd, where one request cannot wait for another.
   * @throws {ConfigurationError} When the library cannot use them. Operations fail with it too, until the
   * tables fit.
   */
  checkTables(isWorker: boolean): Promise<void> | undefined;
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

/** Milliseconds before the second try and the third. */
export const PAUSES: readonly number[] = [25, 100];

/** Waits. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** What is known of one database, however many executors it has. */
interface Known {
  prepare(sql: string): SqlStatement;
  /** Whether the tables have been looked at, or are. */
  looked?: boolean;
  /** The look at the tables that operations wait for. */
  looking?: Promise<void> | undefined;
  /** Whether the tables were found to be of another version. */
  misfit?: boolean;
}

const knownDatabases = new WeakMap<SqlDatabase, Known>();

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
export function createSqlExecutor(given: SqlDatabase): SqlExecutor {
  const database = given.direct ?? given;
  let found = knownDatabases.get(database);
  if (found === undefined) {
    found = { prepare: createPreparer(database) };
    knownDatabases.set(database, found);
  }
  const known = found;
  const { prepare } = known;
  const failureOf = database.dialect?.failureOf ?? sqliteFailureOf;

  async function look(cause?: unknown): Promise<void> {
    // What cannot be read says nothing: the statements themselves tell what is missing.
    const marker = await prepare(SELECT_MARKER).first<SchemaMarker>().catch((error) => {
      known.looked = failureOf(error) === "tables-missing";
      return null;
    });
    const sentence = marker && misfitOf(marker);
    known.misfit = !!sentence;
    if (sentence) throw new ConfigurationError(sentence, { field: "database", cause });
  }

  async function attempt<T>(
    operation: string,
    work: () => Promise<T>,
    repeatable: boolean,
  ): Promise<T> {
    if (known.misfit) await look();
    const { looking } = known;
    for (let tries = 0;; tries++) {
      try {
        const result = await work();
        if (looking !== undefined) await looking;
        return result;
      } catch (error) {
        if (error instanceof ConfigurationError) throw error;
        const failure = failureOf(error);
        if (failure === "tables-missing") await look(error);
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
    inProcess: database.readNow !== undefined,
    readNow(sql, ...values) {
      if (known.misfit || known.looking !== undefined) return undefined;
      try {
        return database.readNow?.(sql, ...values);
      } catch {
        // May pass, such as a lock: whoever asked asks again, with time.
        return undefined;
      }
    },
    batch: (statements) => database.batch(statements),
    checkTables(isWorker) {
      if (known.looked) return;
      known.looked = true;
      const looking = look();
      // D1 is what workers have: there it stays in the background.
      if ((database.dialect ?? database.readNow) && !isWorker) {
        const done = () => known.looking = undefined;
        known.looking = looking;
        looking.then(done, done);
      }
      return looking;
    },
    failureOf,
    repeat: (operation, work) => attempt(operation, work, true),
    once: (operation, work) => attempt(operation, work, false),
  };
}

/** How many rows a statement changed. */
export function changesOf(result: SqlResult | undefined): number {
  return result?.meta.changes ?? 0;
}
