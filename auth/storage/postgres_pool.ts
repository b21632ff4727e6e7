/**
 * Part of the npm package `pg` that is needed here.
 *
 * @module
 */

/** Result of a query: the part of `QueryResult` of the npm package `pg` that is needed here. */
export interface PostgresResult {
  /** The rows, as objects by the names of their columns. */
  rows: unknown[];
  /** Number of rows returned or changed; null when there is no such number. */
  rowCount: number | null;
  /** The kind of the statement: `SELECT`, `UPDATE`, … */
  command: string;
  /** The columns, with the number of their type. */
  fields: { name: string; dataTypeID: number }[];
}

/** One connection to PostgreSQL. */
export interface PostgresConnection {
  /** Runs one statement with the values of `$1`, `$2`, … */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Gives the connection back; with `true` it is closed, because nobody knows what state it is in. */
  release(destroy?: boolean): void;
  /** Listens to the failure of the connection while no query runs on it. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Source of connections: the part of `Pool` of the npm package `pg` that is needed here. */
export interface PostgresPool {
  /** Takes a connection, which nobody else uses until it is released. */
  connect(): Promise<PostgresConnection>;
  /** Tells of each new connection at once, before `connect()` resolves. */
  on?(event: "connect", listener: (connection: PostgresConnection) => void): unknown;
  /** Tells of the failure of a connection that nobody uses. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Options of the pool. */
  readonly options?: {
    /** Milliseconds after which it gives a connection up that is not made. */
    connectionTimeoutMillis?: number | undefined;
  };
}
