/** What can be bound to a statement. */
export type SqlValue = string | number | boolean | null | ArrayBuffer | Uint8Array;

/** What a statement gave. */
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
  /** All rows. */
  all<T>(): Promise<SqlResult<T>>;
  /** Runs the statement. */
  run(): Promise<SqlResult>;
}

/**
 * A SQL database with the shape of D1. A D1 binding is one; others are adapted to it.
 * `batch` must be atomic: all of its statements or none.
 */
export interface SqlDatabase {
  /** The dialect that it speaks. Default "sqlite". */
  readonly dialect?: "sqlite" | "postgres";
  /** Prepares a statement. */
  prepare(sql: string): SqlStatement;
  /** Runs statements in order, as one transaction. */
  batch(statements: SqlStatement[]): Promise<SqlResult[]>;
}
