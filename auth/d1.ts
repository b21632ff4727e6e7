/**
 * {@linkcode d1}: a D1 binding with the tables of the library, for `auth.migrate()`.
 *
 * @example
 * ```ts
 * import { d1 } from "@framework/auth/d1";
 * import type { SqlDatabase } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { deepEqual } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * using file = new DatabaseSync(":memory:");
 * const env: { DB: SqlDatabase } = { DB: sqlite(file) }; // in the place of the binding
 * deepEqual(await d1(env.DB).migrate?.(), { from: null, to: 6 });
 * ```
 *
 * @module
 */

export { d1 } from "./storage/d1.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlResult,
  SqlStatement,
  SqlValue,
  UpgradedTables,
} from "./storage/sql_database.ts";
