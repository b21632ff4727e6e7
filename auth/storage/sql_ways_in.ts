import type { SqlStatement } from "./sql_database.ts";
import type { SqlParts } from "./sql_parts.ts";

/** ?1 user. */
const LOCK_USER = "SELECT id FROM users WHERE id = ?1 FOR UPDATE";

/**
 * What a batch begins with whose statements hold only as long as nothing else of the user changes, such as
 * "another way in remains": in PostgreSQL two of them would not see each other. SQLite has one writer at a
 * time.
 */
export function lockUser({ executor, dialect }: SqlParts, userId: string): SqlStatement[] {
  return dialect === "postgres" ? [executor.prepare(LOCK_USER).bind(userId)] : [];
}
