/**
 * {@linkcode mariadb}: MariaDB for `database` of `createAuth()`, by `mysql2`, with the tables for it.
 *
 * @example
 * ```ts
 * import { createAuth } from "@framework/auth";
 * import { mariadb } from "@framework/auth/mariadb";
 * import { ok } from "node:assert/strict";
 * import { createPool } from "mysql2/promise";
 *
 * const pool = createPool("mysql://app@localhost/app"); // the first request connects
 * const auth = createAuth({ database: mariadb(pool) });
 *
 * ok(auth.migrate);
 * await pool.end();
 * ```
 *
 * @module
 */

export {
  mariadb,
  type MariadbCallbacks,
  type MariadbConnection,
  type MariadbDatabaseOptions,
  type MariadbHandle,
  type MariadbPool,
  type MariadbPoolConnection,
  type MariadbStatement,
} from "./storage/mariadb.ts";
export { mariadbDialect } from "./storage/mariadb_dialect.ts";
export { mariadbSchema } from "./storage/mariadb_schema.ts";
export { type AuthSchema, type SchemaStep } from "./storage/sql_database.ts";
export type { UpgradedTables } from "./storage/sql_database.ts";
export { upgradeTables, type UpgradeTablesOptions } from "./storage/upgrade.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlDialect,
  SqlFailure,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./storage/sql_database.ts";
