import type { SqlDatabase } from "@framework/auth/storage";

/**
 * Clause that names rows of which no other process works on any. SQLite has one writer at a time; PostgreSQL locks the
 * rows and passes over those that are locked.
 *
 * @param database The database of the server.
 * @param column Key of the rows.
 * @param select Statement that finds the keys, with its LIMIT.
 */
export function freeRows({ dialect }: SqlDatabase, column: string, select: string): string {
  // As a list that is made once: a planner may run what stands behind IN for every row.
  return dialect === undefined
    ? `${column} IN (${select})`
    : `${column} = ANY (ARRAY(${select} FOR UPDATE SKIP LOCKED))`;
}

/** End of a statement whose rows nobody else changes until the transaction is over. */
export function lockEnd({ dialect }: SqlDatabase): string {
  return dialect === undefined ? "" : " FOR UPDATE";
}
