/**
 * Gives a SQLite database in the process, such as `DatabaseSync` of `node:sqlite`, the shape of D1, which
 * `createAuth({ database })` and `createSqlStorage()` take.
 *
 * @example
 * ```ts
 * import { createSqlStorage, authSchema } from "@framework/auth/storage";
 * import { createSqliteDatabase } from "@framework/auth/storage-sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import { equal } from "node:assert/strict";
 *
 * const file = new DatabaseSync(":memory:");
 * file.exec(authSchema.up);
 * const storage = createSqlStorage(createSqliteDatabase(file));
 * equal(await storage.getUser("ada"), null);
 * file.close();
 * ```
 *
 * @module
 */

export {
  createSqliteDatabase,
  type SqliteDatabase,
  type SqliteDatabaseOptions,
  type SqliteStatement,
  type SqliteValue,
} from "./storage/sqlite.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./storage/sql_database.ts";
