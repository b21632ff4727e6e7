/**
 * {@linkcode sqlite}: SQLite for `database` of `createAuth()`, by the handle that the application has open, such as
 * `DatabaseSync`, better-sqlite3, `bun:sqlite`, libSQL or the storage of a durable object.
 *
 * @example
 * ```ts
 * import { createAuth, getUser } from "@framework/auth";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // or a path
 * const auth = createAuth({ database: sqlite(file) });
 * const request = new Request("http://localhost/");
 * const response = await auth.run(request, {}, {}, () => Response.json(getUser()));
 * equal(await response.json(), null);
 * ```
 *
 * @module
 */

export type { LibsqlClient, LibsqlResult, LibsqlStatement, LibsqlValue } from "./storage/libsql.ts";
export type { ObjectSqlCursor, ObjectSqlStorage } from "./storage/durable_object.ts";
export {
  sqlite,
  type SqliteDatabase,
  type SqliteDatabaseOptions,
  type SqliteHandle,
  type SqliteStatement,
  type SqliteValue,
} from "./storage/sqlite.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlResult,
  SqlStatement,
  SqlValue,
  UpgradedTables,
} from "./storage/sql_database.ts";
