/**
 * Where users and sessions are kept: the storage over a D1-shaped SQL database with its tables, the
 * storage in memory, and the port that both implement.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at: Date.now() });
 * equal((await storage.getUser("ada"))?.id, "ada");
 * ```
 *
 * @module
 */

export { createMemoryStorage } from "./storage/memory_storage.ts";
export { type AuthSchema, authSchema } from "./storage/schema.ts";
export { createSqlStorage } from "./storage/sql_storage.ts";
export type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./storage/sql_database.ts";
export type {
  InsertedSession,
  InsertSessionOptions,
  NewSessionRecord,
  RenewSessionOptions,
  SessionRecord,
  Storage,
  StoredSession,
  UserRecord,
} from "./storage/storage.ts";
export type { User } from "./users/user.ts";
