/**
 * {@linkcode postgres}: PostgreSQL for `database` of `createAuth()`, by `pg`, postgres.js, Neon's driver or
 * PGlite, with the tables for it.
 *
 * @example
 * ```ts
 * import { createAuth } from "@framework/auth";
 * import { postgres } from "@framework/auth/postgres";
 * import { equal } from "node:assert/strict";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://localhost/app" });
 * const auth = createAuth({ database: postgres(pool) });
 *
 * equal(pool.totalCount, 0); // the first request connects
 * await pool.end();
 * ```
 *
 * @module
 */

export { postgres, type PostgresDatabaseOptions, type PostgresHandle } from "./storage/postgres.ts";
export type {
  Pglite,
  PgliteTransaction,
  PostgresClient,
  PostgresJs,
  PostgresJsQuery,
  PostgresJsRows,
  PostgresJsTransaction,
} from "./storage/postgres_handles.ts";
export type { PostgresConnection, PostgresPool, PostgresResult } from "./storage/postgres_pool.ts";
export { postgresDialect } from "./storage/postgres_dialect.ts";
export { postgresSchema } from "./storage/schema.ts";
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
