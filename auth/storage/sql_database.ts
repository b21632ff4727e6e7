/**
 * SQL databases in the shape of D1, and the dialects in which they differ.
 *
 * @module
 */

/** Value that can be bound to a statement. */
export type SqlValue = string | number | boolean | null | ArrayBuffer | Uint8Array;

/** The rows of a statement, and what it changed. */
export interface SqlResult<T = unknown> {
  /** The rows, also those of a RETURNING clause. */
  results: T[];
  /** Result of a statement. */
  meta: { changes?: number; "last_row_id"?: number };
}

/** A prepared statement, as D1 has it. */
export interface SqlStatement {
  /**
   * Sets it apart from statements that `batch()` of its database cannot take: those of another handle, or of a database
   * of another kind. Default: nothing does, as in D1.
   */
  readonly of?: unknown;
  /** A copy of the statement with these values in place of `?1`, `?2`, … */
  bind(...values: SqlValue[]): SqlStatement;
  /** The first row, or null. */
  first<T>(): Promise<T | null>;
  /** All rows, as objects by the names of their columns. */
  all<T>(): Promise<SqlResult<T>>;
  /** Runs the statement for what it changes; `RETURNING` gives rows here too. */
  run(): Promise<SqlResult>;
}

/** Options of a batch. */
export interface SqlBatchOptions {
  /**
   * Milliseconds that each of its statements may take; 0 for as long as it takes. Default: what the database
   * was made with. D1 and SQLite have limits of their own, and do not read it.
   */
  statementTimeout?: number;
}

/**
 * A SQL database with the shape of D1. A D1 binding is one; others are adapted to it.
 * `batch` must be atomic: all of its statements or none.
 */
export interface SqlDatabase {
  /**
   * The database that the library's own statements go to, where the one that an application is given turns errors
   * into the library's. Default: this one.
   */
  readonly direct?: SqlDatabase;
  /** Differences from SQLite. Default: none. */
  readonly dialect?: SqlDialect;
  /** Makes a statement of one text, with `?1`, `?2`, … for the values that `bind()` gives. */
  prepare(sql: string): SqlStatement;
  /**
   * The first row that a statement reads, or null, at once. Only where the database is in the process. The
   * statement names its columns: what `*` stands for may change while it is kept. Default: `first()` of the
   * statement tells it.
   */
  readNow?<T>(sql: string, ...values: SqlValue[]): T | null;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[], options?: SqlBatchOptions): Promise<SqlResult[]>;
  /**
   * Makes the library's tables, or brings them up to date, for `auth.migrate()`. `sqlite()`, `postgres()` and `d1()`
   * bring it. Default: there is none.
   */
  migrate?(): Promise<UpgradedTables>;
}

/** Result of an upgrade of the tables. */
export interface UpgradedTables {
  /** Version of the tables before; null when there were none. */
  from: number | null;
  /** Version of the tables now; a later one than the library's own when a later library made them. */
  to: number;
}

/** Meaning of a database error, as far as the storage handles it. */
export type SqlFailure =
  /** The id or the mailbox of a user is another's. */
  | "user-taken"
  /** An account, or the id of a passkey, is another user's. */
  | "account-taken"
  /** The user whose it was to be is deleted at the same time. */
  | "owner-gone"
  /** Another constraint is broken: one of the application's own tables. */
  | "constraint"
  /** A table or a column is missing. */
  | "tables-missing"
  /** The work was taken back, and may succeed in a moment. */
  | "undone"
  /** The connection is lost: nobody knows whether the work was done. */
  | "lost"
  /** The database cannot do it now, and more tries would not help: it is full, overloaded, or away. */
  | "unavailable";

/** Differences of a database from SQLite, which has one writer at a time and so needs no locks. */
export interface SqlDialect {
  /** Returns the meaning of a database error; null for one that the storage does not handle. */
  failureOf(error: unknown): SqlFailure | null;
  /** Command that creates the tables, for the message that they are missing. */
  readonly schema: string;
  /**
   * Milliseconds before each further try of a transaction that was undone, by a deadlock for example. Default: 25 and 100,
   * as before every other second and third try.
   */
  readonly lockPauses?: readonly number[];
  /** Tables and their steps, for `upgradeTables()`. Default: `authSchema`. */
  readonly tables?: AuthSchema;
  /** Statements that come first in the transaction of each step of the tables. Default: none. */
  readonly beforeStep?: readonly string[];
  /**
   * The statement whose row tells as `holder` who else has the text `?1` locked, or the library's tables. Default: the
   * database does not say.
   */
  readonly lockHolder?: string;
  /**
   * The statement that removes at most `?2` rows of a table whose `column` is at or before `?1`, the oldest first, by
   * the index of that column, and waits for nobody who does the same. Default: SQLite's.
   */
  sweep?(table: string, column: string): string;
  /** Clause after a text that orders and compares it by its bytes. Default: every text is. */
  readonly byBytes?: string;
  /** The name of a user as `foldName()` writes it, which an index has. Default: `lower()` of it. */
  readonly foldedName?: string;
  /**
   * End of the insertion of a user in a transaction of an application, by which it gives a row; where a taken id or
   * mailbox is an error, and places are `?`. Default: that of SQLite and PostgreSQL.
   */
  readonly insertEnd?: string;
  /** Clause at the end of a `SELECT` that locks its rows until the transaction ends. */
  readonly shareLock: string;
  /** The statement after which nobody else changes what the user `?1` has until the transaction is over. */
  readonly lockUser: string;
  /** The statement after which nobody else comes past the same one with the text `?1` until the transaction is over. */
  readonly lockText: string;
}

/** SQL that brings the tables from the version before to this one, while the release before serves. */
export interface SchemaStep {
  /** Version of the tables afterwards. */
  version: number;
  /** Oldest version whose library may use them afterwards. */
  compatible: number;
  /** Statements of the step, the last of which writes both numbers. It only adds. */
  up: string;
  /** Takes the step back, with what the tables hold of it. */
  down: string;
}

/** The tables as plain SQL. */
export interface AuthSchema {
  /** Grows with every change of the tables; the table `auth_schema` holds it. */
  version: number;
  /** Steps from version 1 to the present one, in order. */
  steps: readonly SchemaStep[];
  /** SQL that makes the tables in an empty database, several statements in one text. */
  up: string;
  /** Removes them, with everything in them. */
  down: string;
}
