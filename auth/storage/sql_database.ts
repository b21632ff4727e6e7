import type { SqlDialect } from "./sql_dialect.ts";

/** What can be bound to a statement. */
export type SqlValue = string | number | boolean | null | ArrayBuffer | Uint8Array;

/** The rows of a statement, and what it changed. */
export interface SqlResult<T = unknown> {
  /** The rows, also those of a RETURNING clause. */
  results: T[];
  /** What the statement did. */
  meta: { changes?: number; "last_row_id"?: number };
}

/** A prepared statement, as D1 has it. */
export interface SqlStatement {
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
  /** In what it differs from SQLite. Default: in nothing. */
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
}
