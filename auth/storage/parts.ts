/**
 * Parts of the SQL storage, from which each group of operations is made.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import type { RowReader } from "./rows.ts";
import type { SqlDialect } from "./sql_database.ts";
import type { SqlExecutor } from "./sql_executor.ts";
import type { UserStatements } from "./statements.ts";
import type { Storage } from "./storage.ts";

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

/**
 * The operations of a group: the storage's own, or for the SQL storage those that are made of its parts.
 * Each group is asked for in a file of its own, so that a bundle has the statements of those only that
 * something in it needs.
 *
 * @param operation One of them, which tells a storage that has the group from one that has not.
 * @throws {ConfigurationError} When the storage has none of them.
 */
export function groupOf<Group>(
  storage: Storage,
  operation: keyof Group & string,
  create: (parts: SqlParts) => Group,
): Group {
  if (operation in storage) return storage as unknown as Group;
  const parts = (storage as { [SQL_PARTS]?: SqlParts })[SQL_PARTS];
  if (parts !== undefined) return create(parts);
  throw new ConfigurationError(
    `The application's storage has no ${operation}(). Configure \`database\` with a SQL database, or give your storage that operation and its like.`,
    { field: "database" },
  );
}
