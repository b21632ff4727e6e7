/**
 * Gives PostgreSQL, through a pool like that of the npm package `pg`, the shape of D1, which
 * `createAuth({ database })` and `createSqlStorage()` take, and holds the tables for it.
 *
 * @example
 * ```ts
 * import { createAuth } from "@framework/auth";
 * import { createPostgresDatabase, upgradeTables } from "@framework/auth/storage-postgres";
 * import { equal } from "node:assert/strict";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://localhost/app" });
 * const database = createPostgresDatabase(pool);
 * async function start(): Promise<void> {
 *   await upgradeTables(database); // makes the tables, or brings them up to date
 * }
 * const auth = createAuth({ database });
 *
 * equal(pool.totalCount, 0); // the first request connects
 * await pool.end();
 * ```
 *
 * @module
 */

export {
  createPostgresDatabase,
  type PostgresConnection,
  type PostgresDatabaseOptions,
  type PostgresPool,
  type PostgresResult,
} from "./storage/postgres.ts";
export { postgresDialect } from "./storage/postgres_dialect.ts";
export { postgresSchema } from "./storage/schema.ts";
export { type AuthSchema, type SchemaStep } from "./storage/sql_database.ts";
export {
  type UpgradedTables,
  upgradeTables,
  type UpgradeTablesOptions,
} from "./storage/upgrade_tables.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlDialect,
  SqlFailure,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./storage/sql_database.ts";
