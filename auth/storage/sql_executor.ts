/**
 * Execution of statements: retries, and errors of the database as those of the library.
 *
 * @module
 */

import {
  AccountTakenError,
  ConfigurationError,
  StorageUnavailableError,
  UserExistsError,
} from "../errors.ts";
import { findRunningRequest } from "../lib/runtime.ts";
import type {
  SqlDatabase,
  SqlDialect,
  SqlFailure,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./sql_database.ts";

/** Runs the statements of one database. */
export interface SqlExecutor {
  /** The statement, parsed by the database's client once however many requests run it. */
  prepare(sql: string): SqlStatement;
  /** True when the database runs in this process, which waits while it works. */
  inProcess: boolean;
  /** Reads the first row at once; undefined where the database is not in the process, or has not done it. */
  readNow<T>(sql: string, ...values: SqlValue[]): T | null | undefined;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
  /** Has all statements of this database go through another one over it from now on, once: see the outbox. */
  divert(over: (database: SqlDatabase) => Pick<SqlDatabase, "prepare" | "batch">): void;
  /**
   * Reads the version of the tables, once; undefined when that has begun before. While it is under way,
   * operations on a server wait for it beside their own work, and those on a worker do not.
   *
   * @param isWorker True on workerd, where one request cannot wait for another.
   * @throws {ConfigurationError} When the library cannot use them. Operations fail with it too, until the
   * tables fit.
   */
  checkTables(isWorker: boolean): Promise<void> | undefined;
  /** Returns the meaning of a database error; null for one that the storage does not handle. */
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

/** State of one database, shared by its executors. */
interface Known {
  prepare(sql: string): SqlStatement;
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
  /** True once another database is over it. */
  diverted?: boolean;
  /** Check of the tables, once started. */
  looked?: boolean;
  /** The look at the tables that operations wait for. */
  looking?: Promise<void> | undefined;
  /** True when the tables were found to have another version. */
  misfit?: boolean;
}

const knownDatabases = new WeakMap<SqlDatabase, Known>();

function createPreparer(database: Pick<SqlDatabase, "prepare">): (sql: string) => SqlStatement {
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
    found = {
      prepare: createPreparer(database),
      batch: (statements) => database.batch(statements),
    };
    knownDatabases.set(database, found);
  }
  const known = found;
  const prepare = (sql: string) => known.prepare(sql);
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
        const pauses = (failure === "undone" && database.dialect?.lockPauses) || PAUSES;
        if (!again || tries === pauses.length) {
          throw storageError(error, { failure, operation, schema: database.dialect?.schema });
        }
        await pause(pauses[tries]!);
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
    batch: (statements) => known.batch(statements),
    divert(over) {
      if (known.diverted) return;
      const other = over(database);
      known.diverted = true;
      known.prepare = createPreparer(other);
      known.batch = (statements) => other.batch(statements);
    },
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

/** Returns the number of rows that a statement changed. */
export function changesOf(result: SqlResult | undefined): number {
  return result?.meta.changes ?? 0;
}

// As D1 and node:sqlite report it; the first that fits.
const FAILURES: readonly [failure: SqlFailure, says: RegExp][] = [
  ["user-taken", /UNIQUE constraint failed: users\.(?:id|email_identity)\b/i],
  [
    "account-taken",
    /NOT NULL constraint failed: (?:accounts|passkeys)\.user_id|UNIQUE constraint failed: passkeys\.id/i,
  ],
  ["constraint", /constraint failed/i],
  ["tables-missing", /no such table|no such column|has no column named/i],
  // Who waits for a lock in vain has done nothing.
  ["undone", /database is locked|SQLITE_BUSY/i],
  [
    "lost",
    /network connection lost|caused object to be reset|reset because its code was updated|transient issue on remote node/i,
  ],
  [
    "unavailable",
    /disk|readonly database|unable to open|overloaded|exceeded timeout|out of memory/i,
  ],
];

/** Tells that the database does not work at the moment, as opposed to a statement that it refuses. */
export function isPassing(failure: SqlFailure | null): boolean {
  return failure === "lost" || failure === "undone" || failure === "unavailable";
}

/**
 * The error of a statement that an application sent to D1 itself, when the database did not do its work: a 503 like
 * those of the library. Any other error as it is. The platform says some of it of other connections, too, without
 * the name in front.
 */
export function d1Error(error: unknown): unknown {
  const failure = sqliteFailureOf(error);
  return isPassing(failure) && /^D1[_ ]/.test((error as Error)?.message)
    ? storageError(error, { failure, operation: "run a statement of the application" })
    : error;
}

/** Returns the meaning of a SQLite error; null for one that the storage does not handle. */
export function sqliteFailureOf(error: unknown): SqlFailure | null {
  const message = error instanceof Error ? error.message : String(error);
  return FAILURES.find(([, says]) => says.test(message))?.[0] ?? null;
}

/** Options for {@linkcode storageError}. */
export interface FailedOperation {
  /** Meaning of the error. */
  failure: SqlFailure | null;
  /** Operation that failed, such as "read the session". */
  operation: string;
  /** Command that creates the tables of this database. Default: for SQLite. */
  schema?: string | undefined;
}

/**
 * The typed error for what a database threw. A broken constraint of the application's own tables is the
 * application's to see as it is; all else means that the store did not do its work.
 */
export function storageError(cause: unknown, failed: FailedOperation): unknown {
  const {
    failure,
    operation,
    schema = "`authSchema.up` of @framework/auth/storage, by `auth.migrate()`",
  } = failed;
  switch (failure) {
    case "user-taken":
      return new UserExistsError(undefined, { cause });
    case "account-taken":
      return new AccountTakenError(undefined, { cause });
    case "owner-gone":
    case "constraint":
      return cause;
    case "tables-missing": {
      const [, column] = /column:? '?users\."?(\w+)/.exec(String(cause)) ?? [];
      const missing = column
        ? `users has no column "${column}". If it is one of userColumns, run ALTER TABLE users ADD COLUMN ${column} TEXT; else apply`
        : "the tables are missing or of another version. Apply";
      return new ConfigurationError(
        `Cannot ${operation}: ${missing} your migrations, or run ${schema} on the database.`,
        { field: "database", cause },
      );
    }
    default:
      return new StorageUnavailableError(`Cannot ${operation}: the database did not answer`, {
        cause,
      });
  }
}

/**
 * The statement that removes what has ended from a table: ?1 now, ?2 how many rows at most. It begins with the oldest,
 * so that it goes by the index of the end, whatever is known of how many there are.
 *
 * @param column When a row ends.
 */
export function sweepText(
  table: string,
  dialect: SqlDialect | undefined,
  column: string = "expires_at",
): string {
  return dialect?.sweep?.(table, column) ?? `DELETE FROM ${table} WHERE rowid IN
(SELECT rowid FROM ${table} WHERE ${column} <= ?1 ORDER BY ${column} LIMIT ?2)`;
}

// A few milliseconds of a database in the process, of which most is the end of the transaction.
const CHUNK = 20;

/**
 * Removes what has ended before `now`, at most `limit` rows; returns how many. A database in the process keeps all
 * others waiting while it works, so there it is done piece by piece.
 *
 * @param sql What {@linkcode sweepText} says.
 */
export async function sweepRows(
  { prepare, repeat, inProcess }: SqlExecutor,
  sql: string,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const size = inProcess ? CHUNK : limit;
  let removed = 0;
  for (let left = limit; left > 0; left -= size) {
    const rows = Math.min(left, size);
    const changes = await repeat(
      "remove what has ended",
      async () => changesOf(await prepare(sql).bind(now, rows).run()),
    );
    removed += changes;
    if (changes < rows) break;
    if (inProcess) await pause(0);
  }
  return removed;
}

/**
 * Sweeps a table in the background, once in a hundred calls. Not left to sign-ins: what a robot begins and never
 * ends has none. The rows are more than all calls since the last sweep can have added.
 */
export function sweepTable(
  { executor, dialect }: { executor: SqlExecutor; dialect: SqlDialect | undefined },
  table: string,
  now: number,
): void {
  if (now % 100 !== 7) return;
  inBackground(sweepRows(executor, sweepText(table, dialect), { now, limit: 500 }));
}

/** Leaves work to the request in which it is begun, which reports its failure; without one nobody is told. */
export function inBackground(work: Promise<unknown>): void {
  const request = findRunningRequest();
  if (request === undefined) work.catch(() => {});
  else request.waitUntil(work);
}

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

// What may stand before a parenthesis in a statement that changes nothing. Any other function may be the
// application's own, or one like nextval().
const HARMLESS =
  /* @__PURE__ */ "abs|all|and|any|as|avg|by|case|cast|char_length|coalesce|concat|count|date|datetime|distinct|else|exists|extract|filter|from|group_concat|hex|ifnull|iif|in|instr|join|json|json_array_length|json_extract|julianday|length|like|limit|lower|ltrim|max|min|not|now|nullif|on|or|over|partition|replace|round|rtrim|select|string_agg|strftime|substr|substring|sum|then|to_char|total|trim|typeof|union|upper|using|values|when|where"
    .split("|");

const CALLS = /\b([a-z_][\w$]*)"?\s*\(/gi;

/**
 * Tells whether a statement changes nothing, so that it may be run twice. In doubt it says no: for one that begins
 * with another word than SELECT, makes a table, locks rows, or calls a function that is not known.
 */
export function onlyReads(sql: string): boolean {
  // A text may hold anything; what it holds does nothing.
  const bare = sql.replace(/'(?:[^']|'')*'/g, "''");
  if (
    !/^\s*SELECT\b/i.test(bare) ||
    /\bINTO\b|\bFOR\s+(?:NO\s+KEY\s+)?(?:UPDATE|SHARE)\b|;\s*\S/i.test(bare)
  ) {
    return false;
  }
  return [...bare.matchAll(CALLS)].every(([, name]) => HARMLESS.includes(name!.toLowerCase()));
}

/** Version of the tables that this library makes, and the oldest that it works with. */
export const SCHEMA_VERSION = 6;

/** Oldest version whose library may use the tables that this one makes: each step of them only adds. */
export const COMPATIBLE_VERSION = 1;

/** The row of `auth_schema`. Tables of version 1 have only its first column. */
export interface SchemaMarker {
  /** Version of the tables. */
  version: number;
  /** Oldest version whose library may use them. */
  compatible?: number;
  /** Random text, for keys of an application that has no `secret`. */
  key?: string | null;
}

/** Reads the marker; a list of columns would be an error where one of them is missing. */
export const SELECT_MARKER = "SELECT * FROM auth_schema";

/** Says why the library cannot use tables with this marker, and what to do; null when it can. */
export function misfitOf({ version, compatible = version }: SchemaMarker): string | null {
  const older = version < SCHEMA_VERSION;
  return older || compatible > SCHEMA_VERSION
    ? `The tables have version ${version}, for libraries from version ${compatible} on; this library has ` +
      `version ${SCHEMA_VERSION}: ${
        older ? "call upgradeTables(database)" : "install a newer @framework/auth"
      }`
    : null;
}

/** Storage group of the executor of a SQL storage. No other storage has it. */
export const executorGroup: {
  readonly name: string;
  readonly sql: (parts: never) => SqlExecutor;
} = {
  name: "executor",
  sql: ({ executor }: { executor: SqlExecutor }) => executor,
};
