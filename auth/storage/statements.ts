/**
 * Statements for users, sessions and accounts.
 *
 * @module
 */

import {
  columnsOf,
  type Fields,
  isText,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  SESSION_COLUMNS,
  USER_COLUMNS,
} from "./rows.ts";
import type { AccountRecord } from "./records.ts";

// Each of these is one statement wherever a race would matter: the condition and the write are never apart.

/** ?1 id, ?2 email, ?3 identity, ?4 name, ?5 image, ?6 verified, ?7 now, ?8 role, ?9 roles. */
export const INSERT_USER = `INSERT INTO users
  (id, email, email_identity, name, image, email_verified, created_at, updated_at, role, roles)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9)`;

/**
 * As {@linkcode INSERT_USER}, and nothing for a known id. The row that it gives back tells which of several
 * sign-ins at once made the user.
 */
export const INSERT_NEW_USER = `${INSERT_USER}
ON CONFLICT (id) DO NOTHING RETURNING id`;

/**
 * Conditions under which something is added to a user, as `conditionValues()` gives their values, from the
 * placeholder `first` on: `proofBegunAt`, whether the mailbox must be unproved, the mailbox, "" for any.
 */
function conditionsFrom(first: number): string {
  return `disabled_at IS NULL AND COALESCE(credentials_after, 0) <= ?${first}
AND (?${first + 1} = 0 OR email_verified IS NULL) AND (?${first + 2} = '' OR email_identity = ?${
    first + 2
  })`;
}

function writeUpdate(): string {
  // A sign-in says what it read, and the address may have changed since: to write that back would give the account
  // to whoever has the old mailbox. A proved address is never a sign-in's to change.
  const writes = "?8 = 1 AND email_verified IS NULL AND updated_at <= ?7";
  const proof = "CAST(?6 AS BIGINT) IS NOT NULL";
  return `UPDATE users SET
  email = CASE WHEN ${writes} THEN ?2 ELSE email END,
  email_verified = CASE WHEN ${writes} AND email_identity IS DISTINCT FROM ?3
    THEN ?6 ELSE email_verified END,
  email_identity = CASE WHEN ${writes} AND (email IS DISTINCT FROM ?2 OR ${proof})
    THEN ?3 ELSE email_identity END,
  name = CASE WHEN ?9 = 1 THEN ?4 ELSE name END,
  image = CASE WHEN ?10 = 1 THEN ?5 ELSE image END,
  updated_at = CASE WHEN updated_at > ?7 THEN updated_at ELSE ?7 END
WHERE id = ?1 AND ${conditionsFrom(11)} AND (
  (${writes} AND (email IS DISTINCT FROM ?2 OR ${proof} AND email_identity IS DISTINCT FROM ?3)) OR
  (?9 = 1 AND name IS DISTINCT FROM ?4) OR
  (?10 = 1 AND image IS DISTINCT FROM ?5))`;
}

/**
 * ?1 id, ?2 email, ?3 identity, ?4 name, ?5 image, ?6 verified, ?7 when the sign-in began; given: ?8 email, ?9 name,
 * ?10 image; conditions from ?11 on.
 * An address is written in the place of an unproved one that has not changed since then, and is as proved as the
 * sign-in method says. One that was kept unproved, without an identity, gets it with a proof only. Nothing is
 * written when nothing is new.
 */
export const UPDATE_KNOWN_USER = /* @__PURE__ */ writeUpdate();

/** ?1 id, ?2 `proofBegunAt` of a check of credentials, which then let nobody in. */
export const SELECT_SHUT_OUT =
  "SELECT 1 AS found FROM users WHERE id = ?1 AND (disabled_at IS NOT NULL OR credentials_after > ?2)";

/** ?1 token hash of the old session, ?2 id of the new one, without which the old one stays. */
export const REPLACE_SESSION = `DELETE FROM sessions
WHERE token_hash = ?1 AND EXISTS (SELECT 1 FROM sessions AS fresh WHERE fresh.id = ?2)`;

/** ?1 id, ?2 the refreshed_at that was read, ?3 now, ?4 expires. */
export const RENEW_SESSION = `UPDATE sessions SET refreshed_at = ?3, expires_at = ?4
WHERE id = ?1 AND refreshed_at = ?2 AND expires_at > ?3`;

/** ?1 token hash. */
export const DELETE_SESSION = "DELETE FROM sessions WHERE token_hash = ?1";

/**
 * ?1 user, ?2 id of the session that stays, which no session has when it is empty, ?3 the tenant that they were
 * made in, or null for any.
 */
export const DELETE_SESSIONS = `DELETE FROM sessions WHERE user_id = ?1 AND id <> ?2
AND (CAST(?3 AS TEXT) IS NULL OR tenant_id = ?3)`;

/** Ends the sessions of the user ?1, see `endEverything()`. */
export function endSessions(holds = ""): string[] {
  return [`DELETE FROM sessions WHERE user_id = ?1${holds}`];
}

/** Tables of what ends. */
export const ENDING: readonly string[] = [
  "sessions",
  "verifications",
  "rate_limits",
  "revocations",
  "known_browsers",
];

/** The statements that give users back, whose columns an application may add to. */
export interface UserStatements {
  /** The columns that make a user. */
  columns: string;
  /** ?1 user id. */
  selectUser: string;
  /** ?1 user id. */
  selectActiveUser: string;
  /** ?1 mailbox. */
  selectUserByEmail: string;
  /**
   * Returns the end of a `SELECT` from the user with this id, who must not be disabled, and of whom the conditions
   * must hold whose values stand from the placeholder `first` on, see `conditionValues()`.
   *
   * @param user Placeholder of the id.
   * @param further Further conditions, each with AND before it. Default: none.
   */
  ownerBy(user: string, first: number, further?: string): string;
  /**
   * ?1 id, ?2 token hash, ?3 user, ?4 user agent, ?5 created, ?6 authenticated, ?7 refreshed, ?8 expires,
   * ?9 tenant, conditions from ?10 on. Inserts nothing for an owner who is gone or disabled by then, or of whom the
   * conditions do not hold.
   */
  insertSession: string;
  /**
   * ?1 provider, ?2 id there, ?3 user, ?4 type, ?5 access token, ?6 refresh token, ?7 expires, ?8 token type,
   * ?9 scope, ?10 created, ?11 updated, ?12 email, conditions from ?13 on, ?16 whether it must exist. Another user's
   * account, and a missing one that must exist, violates a constraint, which rolls the whole batch back. Returns the
   * times of creation and update, which are equal for a new account.
   */
  saveAccount(further?: string): string;
  /** ?1 session id. */
  selectSessionOwner: string;
  /** ?1 token hash. */
  readSession: string;
}

/** Options for {@linkcode createUserStatements}. */
export interface UserStatementOptions {
  /** Further columns of `users`. They are checked names. */
  userColumns: readonly string[];
  /** Clause at the end of a `SELECT` that locks its rows, see `SqlDialect`. Default: none. */
  shareLock?: string | undefined;
}

/** Writes the statements that depend on the columns of an application and on the database. */
export function createUserStatements(
  { userColumns, shareLock = "" }: UserStatementOptions,
): UserStatements {
  // Quoted and qualified: a name that is no column is an error, in SQLite too, and no text.
  const further = userColumns.map((name) => `, users."${name}"`).join("");
  const columns = USER_COLUMNS + further;
  // The lock makes this and an operation that disables the owner wait for each other, so that no session
  // slips in behind the disabling.
  function ownerBy(user: string, first: number, further = ""): string {
    return `FROM users WHERE users.id = ${user} AND ${conditionsFrom(first)}${further}${shareLock}`;
  }
  return {
    columns,
    ownerBy,
    selectUser: `SELECT ${columns} FROM users WHERE users.id = ?1`,
    selectActiveUser:
      `SELECT ${columns} FROM users WHERE users.id = ?1 AND users.disabled_at IS NULL`,
    selectUserByEmail:
      `SELECT ${columns} FROM users WHERE users.email_identity = ?1 AND users.disabled_at IS NULL`,
    insertSession: `INSERT INTO sessions
  (id, token_hash, user_id, user_agent, created_at, authenticated_at, refreshed_at, expires_at, tenant_id)
SELECT ?1, ?2, users.id, ?4, ?5, ?6, ?7, ?8, ?9 ${ownerBy("?3", 10)}`,
    saveAccount: (further) =>
      `INSERT INTO accounts (${columnsOf(ACCOUNT)})
SELECT ?1, ?2, CASE WHEN ?16 = 0 OR EXISTS (SELECT 1 FROM accounts WHERE provider = ?1 AND provider_account_id = ?2)
  THEN users.id END, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?12 ${ownerBy("?3", 13, further)}
ON CONFLICT (provider, provider_account_id) DO UPDATE SET
  user_id = CASE WHEN accounts.user_id = excluded.user_id THEN accounts.user_id END,
  email = excluded.email,
  refresh_token = COALESCE(excluded.refresh_token, accounts.refresh_token),
  ${
        ["access_token", "expires_at", "token_type", "scope"].map((column) =>
          `${column} = CASE WHEN excluded.access_token IS NULL THEN accounts.${column} ELSE excluded.${column} END,`
        ).join("\n  ")
      }
  updated_at = CASE WHEN ?11 > accounts.updated_at THEN ?11 ELSE accounts.updated_at + 1 END
RETURNING created_at, updated_at`,
    selectSessionOwner: `SELECT ${columns}
FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.id = ?1`,
    readSession: `SELECT ${SESSION_COLUMNS}, ${columns}
FROM sessions JOIN users ON users.id = sessions.user_id
WHERE sessions.token_hash = ?1 AND users.disabled_at IS NULL`,
  };
}

/** An account as a row of `accounts`. */
export const ACCOUNT: Fields<AccountRecord> = {
  provider: isText,
  providerAccountId: isText,
  userId: isText,
  type: isText,
  accessToken: isTextOrNull,
  refreshToken: isTextOrNull,
  expiresAt: isTimeOrNull,
  tokenType: isTextOrNull,
  scope: isTextOrNull,
  createdAt: isTime,
  updatedAt: isTime,
  email: isTextOrNull,
};
