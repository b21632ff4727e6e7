/**
 * D1 with the tables of the library.
 *
 * @module
 */

import { demandMethods } from "../lib/options.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { withMigrate } from "./upgrade.ts";

/**
 * A D1 binding that brings the library's tables along, for `auth.migrate()`. `database` takes the binding as it is; the
 * tables are some kilobytes that only who makes them needs in a worker.
 *
 * @param binding The binding, such as `env.DB`.
 * @throws {ConfigurationError} For what is no D1 binding.
 *
 * @example
 * ```ts
 * import { createAuth } from "@framework/auth";
 * import { d1 } from "@framework/auth/d1";
 * import { sqlite } from "@framework/auth/sqlite";
 * import type { SqlDatabase } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const auth = createAuth((env: { DB: SqlDatabase }) => ({ database: env.DB }));
 *
 * using file = new DatabaseSync(":memory:");
 * const env = { DB: sqlite(file) }; // in the place of the binding
 * // In a scheduled() or a command of yours, not in fetch():
 * const { from } = await auth.migrate(env, { database: d1(env.DB) });
 * equal(from, null); // there were no tables
 * ```
 */
export function d1(binding: SqlDatabase): SqlDatabase {
  demandMethods(binding, ["prepare", "batch"], { field: "database", write: "a D1 binding" });
  return withMigrate({
    prepare: (sql) => binding.prepare(sql),
    batch: (statements) => binding.batch(statements),
  });
}
