/**
 * Statements in which MariaDB differs from SQLite, and the meaning of its errors.
 *
 * @module
 */

import { AuthError } from "../errors.ts";
import { mariadbSchema } from "./mariadb_schema.ts";
import type { SqlDialect, SqlFailure } from "./sql_database.ts";

/** An error of mysql2, or of this library in its form. */
interface MariadbError extends Error {
  code?: unknown;
  errno?: unknown;
  sqlState?: unknown;
  /** The statement. */
  sql?: unknown;
}

// MariaDB Knowledge Base, "MariaDB Error Code Reference".
const FAILURES: ReadonlyMap<unknown, SqlFailure> = new Map<unknown, SqlFailure>([
  [1146, "tables-missing"],
  [1054, "tables-missing"],
  // A deadlock costs one its transaction; the other one waited for a lock in vain, or read what has changed since.
  [1213, "undone"],
  [1205, "undone"],
  [1020, "undone"],
  // Now and then MariaDB 10.11 fails to read JSON_TABLE() in a trigger that several connections open at once.
  [1710, "undone"],
  // The server is a replica: the next connection may lead to the primary.
  [1290, "undone"],
  [1836, "undone"],
  // The server ends, or somebody has ended the connection or the statement: nobody knows what was done before.
  [1053, "lost"],
  [1927, "lost"],
  [1317, "lost"],
  ["PROTOCOL_CONNECTION_LOST", "lost"],
  ["ECONNRESET", "lost"],
  ["EPIPE", "lost"],
  // A statement was sent, and nothing came back.
  ["ETIMEDOUT", "lost"],
]);

// Connections that were not made or are too many, a full disk, no memory, a statement that took too long and was taken
// back (1969), a node of a cluster that is not ready (1047).
const UNAVAILABLE: readonly unknown[] = [
  ...[
    "ECONNREFUSED",
    "ENOENT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENOTFOUND",
    "EAI_AGAIN",
    "NO_CONNECTION",
  ],
  ...[1021, 1030, 1037, 1038, 1040, 1041, 1044, 1045, 1047, 1049, 1114, 1129, 1203, 1226, 1969],
];

const DUPLICATE = 1062;
const NO_VALUE: readonly unknown[] = [1048, 1364];
const NO_PARENT = 1452;
const CONSTRAINTS: readonly unknown[] = [DUPLICATE, 1048, 1451, NO_PARENT, 4025];

const OWNED = /^(?:sessions|accounts|passkeys|verifications|account_activity|audit_people)$/;

// What mysql2 says without a code.
const LOST = /closed state|connection terminated/i;
const NO_POOL = /pool is closed|queue limit reached/i;

/** The table that a statement writes to. */
function tableOf(sql: unknown): string {
  return /\b(?:INSERT INTO|UPDATE|DELETE FROM) `?(\w+)/.exec(String(sql))?.[1] ?? "";
}

function brokenConstraint({ errno, message, sql }: MariadbError): SqlFailure {
  const table = tableOf(sql);
  if (errno === NO_PARENT) {
    const [, child, column, parent] =
      /`(\w+)`, CONSTRAINT .* FOREIGN KEY \(`(\w+)`\) REFERENCES `(\w+)`/.exec(message) ?? [];
    return parent === "users" && column === "user_id" && OWNED.test(child!)
      ? "owner-gone"
      : "constraint";
  }
  const isValue = NO_VALUE.includes(errno);
  const [, column] = /^(?:Column|Field) '(\w+)'/.exec(message) ?? [];
  const [, key] = / for key '(\w+)'$/.exec(message) ?? [];
  if (table === "users" && /^(?:PRIMARY|email_identity)$/.test(key!)) return "user-taken";
  const isTaken = isValue
    ? column === "user_id" && /^(?:accounts|passkeys)$/.test(table)
    : table === "passkeys" && key === "PRIMARY";
  return isTaken ? "account-taken" : "constraint";
}

// MariaDB 10.11 keeps an opened table whose triggers it did not read to their end, because the connection was ended or
// the statement's time was over: every statement with these triggers fails until the table is opened anew.
// From the beginning: further on in a message stand values, which are anybody's.
const TRIGGER_CUT_OFF = /^(?:Trigger '\w+'|Unknown trigger) has an error in its body: /;

// A statement that was prepared meanwhile never finds the table that only the triggers name.
const PREPARED_MEANWHILE = /^Table '.*\.user_roles' doesn't exist$/;

// FLUSH TABLES needs a privilege that reaches beyond the database. To InnoDB this one does nothing else.
const OPEN_ANEW = "SET STATEMENT lock_wait_timeout = 2 FOR REPAIR NO_WRITE_TO_BINLOG TABLE users";

/** The statement that ends what an error says, before the next try; null where there is none. */
export function cureOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { message, sql } = error as MariadbError;
  const isOfTriggers = TRIGGER_CUT_OFF.test(message) ||
    PREPARED_MEANWHILE.test(message) && !/\buser_roles\b/.test(String(sql));
  return isOfTriggers ? OPEN_ANEW : null;
}

function failureOf(error: unknown): SqlFailure | null {
  if (!(error instanceof Error)) return null;
  // One of the library's own is told as it is.
  if (error instanceof AuthError) return "constraint";
  const { code, errno, sqlState } = error as MariadbError;
  if (cureOf(error) !== null) return "undone";
  if (CONSTRAINTS.includes(errno) || NO_VALUE.includes(errno)) return brokenConstraint(error);
  const failure = FAILURES.get(errno) ?? FAILURES.get(code);
  if (failure !== undefined) return failure;
  if (LOST.test(error.message)) return "lost";
  const isAway = UNAVAILABLE.includes(errno) || UNAVAILABLE.includes(code) ||
    /^08/.test(String(sqlState));
  return isAway || NO_POOL.test(error.message) ? "unavailable" : null;
}

// Server-wide, and of at most 64 characters.
const LOCK = "SHA2(CONCAT(DATABASE(), ' ', ?1), 256)";

/** Statement whose lock the end of the transaction gives back; its row says whether there is one. */
export const LOCK_TEXT: string = `SELECT GET_LOCK(${LOCK}, 3) AS locked`;

/**
 * MariaDB's differences from SQLite: its errors by number, and the locks without which two concurrent transactions
 * would not see each other's changes.
 *
 * @example
 * ```ts
 * import { mariadbDialect } from "@framework/auth/mariadb";
 * import { equal } from "node:assert/strict";
 *
 * // As mysql2 throws it: the transaction was taken back, and is tried again.
 * const deadlock = Object.assign(new Error("Deadlock found when trying to get lock"), { errno: 1213 });
 * equal(mariadbDialect.failureOf(deadlock), "undone");
 * ```
 */
export const mariadbDialect: SqlDialect = {
  failureOf,
  schema: "`mariadbSchema.up` of @framework/auth/mariadb, by `auth.migrate()`",
  tables: mariadbSchema,
  lockHolder: `SELECT CONCAT('connection ', ID, ' of MariaDB (', USER, ', ', HOST, ')') AS holder
FROM information_schema.PROCESSLIST WHERE ID = IS_USED_LOCK(${LOCK})`,
  sweep: (table, column) =>
    `DELETE FROM ${table} WHERE ${column} <= ?1 ORDER BY ${column} LIMIT ?2`,
  foldedName: "users.name_folded",
  insertEnd: "\nRETURNING id",
  // Of many transactions that lock the gaps of one index each deadlock lets one through, and undoes the others.
  lockPauses: [25, 100, 200, 400, 800],
  shareLock: " LOCK IN SHARE MODE",
  lockUser: "SELECT id FROM users WHERE id = ?1 FOR UPDATE",
  lockText: LOCK_TEXT,
};
