import type { RowReader } from "./rows.ts";
import type { SqlDialect } from "./sql_dialect.ts";
import type { SqlExecutor } from "./sql_executor.ts";
import type { UserStatements } from "./sql_text.ts";

/** What a part of the SQL storage is made of. */
export interface SqlParts {
  /** Runs statements. */
  executor: SqlExecutor;
  /** Reads rows. */
  reader: RowReader;
  /** The statements that depend on the columns of users and on the database. */
  statements: UserStatements;
  /** In what the database differs from SQLite; undefined for nothing. */
  dialect: SqlDialect | undefined;
}

/**
 * Where a SQL storage keeps its parts, for the operations that it is given later. Of all copies of this
 * module, and of a storage that an application has spread into one of its own.
 */
export const SQL_PARTS: unique symbol = Symbol.for("framework.auth.sql-parts");
