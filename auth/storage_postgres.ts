/**
 * Everything of `@framework/auth/postgres`, under the names of earlier releases.
 *
 * @example
 * ```ts
 * import { createPostgresDatabase } from "@framework/auth/storage-postgres";
 * import { postgres } from "@framework/auth/postgres";
 * import { equal } from "node:assert/strict";
 *
 * equal(createPostgresDatabase, postgres);
 * ```
 *
 * @module
 */

export * from "./postgres.ts";
export { postgres as createPostgresDatabase } from "./storage/postgres.ts";
