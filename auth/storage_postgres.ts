/**
 * Gives PostgreSQL, through a pool like that of the npm package `pg`, the shape of D1, which
 * `createAuth({ database })` and `createSqlStorage()` take, and holds the tables for it.
 *
 * @example
 * ```ts ignore
 * import { createAuth } from "@framework/auth";
 * import { createPostgresDatabase, postgresSchema } from "@framework/auth/storage-postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * await pool.query(postgresSchema.up); // once, as a migration
 * const auth = createAuth({ database: createPostgresDatabase(pool) });
 * ```
 *
 * @module
 */

export {
  createPostgresDatabase,
  type PostgresConnection,
  type PostgresPool,
  type PostgresResult,
} from "./storage/postgres_database.ts";
export { type AuthSchema, postgresSchema } from "./storage/schema.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
