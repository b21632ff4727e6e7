/**
 * Everything of `@framework/auth/sqlite`, under the names of earlier releases.
 *
 * @example
 * ```ts
 * import { createSqliteDatabase } from "@framework/auth/storage-sqlite";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 *
 * equal(createSqliteDatabase, sqlite);
 * ```
 *
 * @module
 */

export type * from "./sqlite.ts";
export { sqlite, sqlite as createSqliteDatabase } from "./storage/sqlite.ts";
