import { createSafeLogger, type Logger } from "../config/logger.ts";
import { createRowReader } from "./rows.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { createSqlExecutor } from "./sql_executor.ts";
import { SQL_PARTS, type SqlParts } from "./sql_parts.ts";
import { createSessionOperations } from "./sql_sessions.ts";
import { createUserStatements } from "./sql_text.ts";
import { createUserOperations } from "./sql_users.ts";
import type { Storage } from "./storage.ts";
import { readUserColumns } from "./user_columns.ts";

/** What {@linkcode createSqlStorage} can be told. */
export interface SqlStorageOptions {
  /**
   * Columns that the application added to `users`. A user has them as further fields, with the values
   * that the database gives; declare them in a type for `getUser<AppUser>()`. No sign-in writes them.
   */
  userColumns?: readonly string[] | undefined;
  /** Told of rows that cannot be read. Default: nobody is. */
  logger?: Logger;
}

/**
 * The storage over a SQL database with the shape of D1, whose tables are those of `authSchema`. Its
 * statements are prepared once per database object.
 *
 * A lost connection is tried again, at most twice, for whatever comes to the same when done twice.
 *
 * @param database A D1 binding, or an adapter with its shape.
 * @param options Columns that the application added to `users`, and a logger. Default: none.
 * @throws {ConfigurationError} When `userColumns` names what cannot be a column of the application.
 *
 * @example
 * ```ts
 * import { createAuth, createSqlStorage, type SqlDatabase } from "@framework/auth";
 * import { authSchema } from "@framework/auth/storage";
 * import { createSqliteDatabase } from "@framework/auth/storage-sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * interface Env {
 *   DB: SqlDatabase;
 * }
 * const auth = createAuth<Env>((env) => ({
 *   database: createSqlStorage(env.DB, { userColumns: ["plan"], logger: console }),
 * }));
 *
 * // In the place of a D1 binding.
 * using file = new DatabaseSync(":memory:");
 * file.exec(`${authSchema.up}; ALTER TABLE users ADD COLUMN plan TEXT`);
 * const env = { DB: createSqliteDatabase(file) };
 * equal(await auth.storage(env).getUser("ada"), null);
 * ```
 */
export function createSqlStorage(database: SqlDatabase, options: SqlStorageOptions = {}): Storage {
  const userColumns = readUserColumns(options.userColumns);
  const logger = createSafeLogger(options.logger);
  const { dialect } = database;
  const parts: SqlParts = {
    executor: createSqlExecutor(database),
    dialect,
    statements: createUserStatements({ userColumns, shareLock: dialect?.shareLock }),
    reader: createRowReader({
      userColumns,
      // The value is not reported: nobody knows what it is.
      onCorrupt: (column, id) => logger.error("stored-row-corrupt", { column, id }),
    }),
  };
  const storage = { ...createUserOperations(parts), ...createSessionOperations(parts) };
  return { ...storage, [SQL_PARTS]: parts } as Storage;
}
