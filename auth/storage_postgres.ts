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

export type * from "./postgres.ts";
export { postgres, postgres as createPostgresDatabase } from "./storage/postgres.ts";
export { postgresDialect } from "./storage/postgres_dialect.ts";
export { postgresSchema } from "./storage/schema.ts";
export { upgradeTables } from "./storage/upgrade.ts";
