import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqlStorage, type SqlStorageOptions } from "../storage/sql_storage.ts";
import type { Storage } from "../storage/storage.ts";
import { readUserColumns } from "../storage/user_columns.ts";
import { isOptions, wrongOption } from "./check.ts";

/** Where users and sessions are, checked. */
export interface DatabaseOption {
  /** Whether it is a SQL database. What the library makes over one has every operation. */
  isSql: boolean;
  /** Makes its storage. */
  open(): Storage;
}

/** What to write around a driver that is given as it is, told by its methods. */
function helperFor(value: unknown): string {
  const driver = Object(value);
  if ("exec" in driver) return "createSqliteDatabase(…) of @framework/auth/storage-sqlite";
  if ("connect" in driver) {
    return "createPostgresDatabase(pool) of @framework/auth/storage-postgres";
  }
  return "a D1 binding, or what createSqliteDatabase(), createPostgresDatabase() or createSqlStorage() returns";
}

/**
 * Checks the options `database` and `userColumns`; null when there is no database.
 *
 * @throws {ConfigurationError} Naming the option and what to write.
 */
export function readDatabase(value: unknown, options: SqlStorageOptions): DatabaseOption | null {
  const isSql = isOptions(value) && "prepare" in value && "batch" in value;
  const userColumns = readUserColumns(options.userColumns);
  if (userColumns.length > 0 && !isSql) {
    throw wrongOption(
      "userColumns",
      userColumns,
      "it only with a D1-shaped `database`, or give the names to createSqlStorage()",
    );
  }
  if (isSql) {
    return { isSql, open: () => createSqlStorage(value as unknown as SqlDatabase, options) };
  }
  if (value === undefined || value === null) return null;
  if (isOptions(value) && "readSession" in value) {
    return { isSql, open: () => value as unknown as Storage };
  }
  throw wrongOption("database", value, helperFor(value));
}
