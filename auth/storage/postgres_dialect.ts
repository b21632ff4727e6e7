/**
 * Statements in which PostgreSQL differs from SQLite.
 *
 * @module
 */

import { AuthError } from "../errors.ts";
import { postgresSchema } from "./schema.ts";
import type { SqlDialect, SqlFailure } from "./sql_database.ts";

/**
 * Properties of a PostgreSQL error that name the violated constraint: drivers use this name, or the
 * name with `_name` appended.
 */
function nameOf(kind: "constraint" | "table" | "column", error: Error): unknown {
  const fields = error as unknown as Record<string, unknown>;
  return fields[kind] ?? fields[`${kind}_name`];
}

// PostgreSQL, "Error Codes" (appendix A).
const FAILURES: ReadonlyMap<unknown, SqlFailure> = new Map([
  ["42P01", "tables-missing"],
  ["42703", "tables-missing"],
  // Who is the one whom a deadlock costs its transaction, or sees another's write, has done nothing.
  ["40001", "undone"],
  ["40P01", "undone"],
  // The server is a replica: the next connection may lead to the primary.
  ["25006", "undone"],
  // In vain waited for a lock.
  ["55P03", "undone"],
  ["57P01", "lost"],
  ["57P02", "lost"],
  ["ECONNRESET", "lost"],
  ["EPIPE", "lost"],
  // A statement was sent, and nothing came back.
  ["ETIMEDOUT", "lost"],
  // As postgres.js says it.
  ["CONNECTION_CLOSED", "lost"],
  ["CONNECTION_DESTROYED", "lost"],
]);

// Connections that were not made, a full disk or too many connections (class 53), a statement that took too long and
// was taken back (57014), a server that starts or stops (57), its own trouble (58).
const UNAVAILABLE =
  /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|NO_CONNECTION|CONNECTION_ENDED|CONNECT_TIMEOUT|08...|5[378]...)$/;

const CONSTRAINTS: ReadonlyMap<unknown, SqlFailure> = new Map([
  ["users_pkey", "user-taken"],
  ["users_email_identity_key", "user-taken"],
  ["passkeys_pkey", "account-taken"],
  ["sessions_user_id_fkey", "owner-gone"],
  ["accounts_user_id_fkey", "owner-gone"],
  ["passkeys_user_id_fkey", "owner-gone"],
  ["verifications_user_id_fkey", "owner-gone"],
  ["account_activity_user_id_fkey", "owner-gone"],
  ["audit_people_user_id_fkey", "owner-gone"],
]);

// What the pool of npm:pg says without a code when it has no connection in time.
const NO_CONNECTION = /timeout exceeded when trying to connect/i;

// What drivers say without a code when the connection went away.
const LOST =
  /connection terminated|server closed the connection|terminating connection|not queryable/i;

const NOT_NULL = "23502";

function failureOf(error: unknown): SqlFailure | null {
  if (!(error instanceof Error)) return null;
  // One of the library's own is told as it is.
  if (error instanceof AuthError) return "constraint";
  // The SQLSTATE, or what the system calls a broken connection.
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && code.startsWith("23")) {
    const isOwner = code === NOT_NULL && nameOf("column", error) === "user_id";
    return isOwner && /^(?:accounts|passkeys)$/.test(String(nameOf("table", error)))
      ? "account-taken"
      : CONSTRAINTS.get(nameOf("constraint", error)) ?? "constraint";
  }
  const failure = FAILURES.get(code);
  if (failure !== undefined) return failure;
  if (LOST.test(error.message)) return "lost";
  return UNAVAILABLE.test(String(code)) || NO_CONNECTION.test(error.message) ? "unavailable" : null;
}

/**
 * PostgreSQL's differences from SQLite, for an adapter of your own: its errors by SQLSTATE and
 * constraint name, and the locks without which two concurrent transactions would not see each
 * other's changes.
 *
 * @example
 * ```ts
 * import { postgresDialect } from "@framework/auth/postgres";
 * import { equal } from "node:assert/strict";
 *
 * // As a driver throws it: 42P01 is undefined_table.
 * const refusal = Object.assign(new Error('relation "users" does not exist'), { code: "42P01" });
 * equal(postgresDialect.failureOf(refusal), "tables-missing");
 * ```
 */
export const postgresDialect: SqlDialect = {
  failureOf,
  schema: "`postgresSchema.up` of @framework/auth/postgres, by `auth.migrate()`",
  tables: postgresSchema,
  // Who waits for a lock on a table keeps everybody behind it waiting, too: better to try again. An index of
  // many rows takes its time.
  beforeStep: ["SET LOCAL lock_timeout = '2s'", "SET LOCAL statement_timeout = 0"],
  lockHolder: `SELECT 'process ' || pid || ' of PostgreSQL (' || concat_ws(', ', usename,
    nullif(application_name, ''), host(client_addr), 'since ' || date_trunc('second', xact_start)) || ')' AS holder
FROM pg_stat_activity WHERE pid IN (SELECT pid FROM pg_locks WHERE granted AND pid <> pg_backend_pid() AND (
  (locktype = 'advisory' AND objsubid = 1 AND
    (CAST(classid AS BIGINT) << 32 | CAST(objid AS BIGINT)) = hashtextextended(?1, 0)) OR
  (locktype = 'relation' AND relation IN (to_regclass('users'), to_regclass('auth_schema')))))
ORDER BY xact_start LIMIT 1`,
  // By their places: with a list of keys the planner reads the whole table where it thinks that the list is long.
  sweep: (table, column) =>
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table}
WHERE ${column} <= ?1 ORDER BY ${column} LIMIT ?2 FOR UPDATE SKIP LOCKED))`,
  byBytes: ' COLLATE "C"',
  shareLock: " FOR SHARE",
  lockUser: "SELECT id FROM users WHERE id = ?1 FOR UPDATE",
  lockText: "SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))",
};
