/**
 * Exact rate limits in a SQL database.
 *
 * @module
 */

import { demandMethods } from "../lib/options.ts";
import { createRateLimitOperations, type RateLimitStorage } from "../storage/rate_limits.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqlExecutor } from "../storage/sql_executor.ts";

/**
 * Counts attempts in a SQL database, in the table `rate_limits` of `authSchema`. It is exact: within any span
 * as long as the window at most `limit` are let through, however many come at once and to however many
 * isolates. The decision is one statement. A row holds the times of at most `limit` attempts; rows
 * that are over are removed by one call in a hundred, in the background.
 *
 * @param database A D1 binding, or an adapter with its shape for SQLite or PostgreSQL.
 * @throws {ConfigurationError} When the database is none, such as a binding that `wrangler.jsonc` lacks.
 *
 * @example
 * ```ts
 * import { createRateLimiter, createSqlRateLimitStorage } from "@framework/auth/rate-limit";
 * import { authSchema } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:"); // in the place of a D1 binding
 * file.exec(authSchema.up);
 * const limiter = createRateLimiter(createSqlRateLimitStorage(sqlite(file)), {
 *   name: "export",
 *   limit: 10,
 *   window: 3600,
 * });
 * equal((await limiter.check(new Request("https://app.example/export"))).remaining, 9);
 * ```
 */
export function createSqlRateLimitStorage(database: SqlDatabase): RateLimitStorage {
  demandMethods(database, ["prepare", "batch"], {
    field: "database",
    write: "a D1 binding, or what sqlite() or postgres() returns",
  });
  return createRateLimitOperations(createSqlExecutor(database), database.dialect);
}
