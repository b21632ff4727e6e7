/**
 * Groups of operations that a feature adds to the storage port.
 *
 * @module
 */

import type { RowReader } from "./rows.ts";
import type { SqlDialect } from "./sql_database.ts";
import type { SqlExecutor } from "./sql_executor.ts";
import type { UserStatements } from "./statements.ts";

/** Parts of the SQL storage, from which each group of operations is made. */
export interface SqlParts {
  /** Runs statements. */
  executor: SqlExecutor;
  /** Reads rows. */
  reader: RowReader;
  /** The statements that depend on the columns of users and on the database. */
  statements: UserStatements;
  /** Differences of the database from SQLite; undefined for SQLite itself. */
  dialect: SqlDialect | undefined;
}

/**
 * A group of operations that a feature adds to the port. The value stands in the feature's file, beside the interface
 * of its operations and their SQL; a bundle holds those that something in it names.
 */
export interface StorageGroup<Operations> {
  /** Name of the group, by which a storage other than SQL tells that it has it. */
  readonly name: string;
  /** Makes the operations over a SQL database, of parts that only the SQL storage has. */
  readonly sql: (parts: never) => Operations;
}
