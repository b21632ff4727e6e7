// Each of these is one statement wherever a race would matter: the condition and the write are never apart.

/** ?1 id, ?2 email, ?3 identity, ?4 name, ?5 image, ?6 verified, ?7 role, ?8 roles, ?9 now. */
export const INSERT_USER = `INSERT INTO users
  (id, email, email_identity, name, image, email_verified, role, roles, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)`;

/**
 * As {@linkcode INSERT_USER}, and for a known id writes what is given: ?10 email, ?11 name, ?12 image.
 * A new address is as proved as the sign-in method says; the proof of the old one does not cover it.
 */
export const UPSERT_USER = `${INSERT_USER}
ON CONFLICT (id) DO UPDATE SET
  email = CASE WHEN ?10 THEN excluded.email ELSE users.email END,
  email_verified = CASE WHEN ?10 AND users.email_identity IS NOT excluded.email_identity
    THEN excluded.email_verified ELSE users.email_verified END,
  email_identity = CASE WHEN ?10 THEN excluded.email_identity ELSE users.email_identity END,
  name = CASE WHEN ?11 THEN excluded.name ELSE users.name END,
  image = CASE WHEN ?12 THEN excluded.image ELSE users.image END,
  updated_at = excluded.updated_at
WHERE users.disabled_at IS NULL AND (
  (?10 AND users.email IS NOT excluded.email) OR
  (?11 AND users.name IS NOT excluded.name) OR
  (?12 AND users.image IS NOT excluded.image))`;

const USER_COLUMNS =
  "users.id, users.email, users.name, users.image, users.email_verified, users.role, users.roles";

/** ?1 user id. */
export const SELECT_USER = `SELECT ${USER_COLUMNS} FROM users WHERE users.id = ?1`;

/** ?1 user id. */
export const USER_EXISTS = "SELECT 1 AS found FROM users WHERE id = ?1";

/**
 * ?1 id, ?2 token hash, ?3 user, ?4 user agent, ?5 created, ?6 authenticated, ?7 refreshed, ?8 expires.
 * Inserts nothing for an owner who is gone or disabled by then.
 */
export const INSERT_SESSION = `INSERT INTO sessions
  (id, token_hash, user_id, user_agent, created_at, authenticated_at, refreshed_at, expires_at)
SELECT ?1, ?2, users.id, ?4, ?5, ?6, ?7, ?8 FROM users WHERE users.id = ?3 AND users.disabled_at IS NULL`;

/** ?1 token hash of the old session, ?2 id of the new one, without which the old one stays. */
export const REPLACE_SESSION = `DELETE FROM sessions
WHERE token_hash = ?1 AND EXISTS (SELECT 1 FROM sessions WHERE id = ?2)`;

/** ?1 session id. */
export const SELECT_SESSION_OWNER = `SELECT ${USER_COLUMNS}
FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.id = ?1`;

/** ?1 token hash. */
export const READ_SESSION =
  `SELECT sessions.id AS session_id, sessions.created_at, sessions.authenticated_at,
  sessions.refreshed_at, sessions.expires_at, ${USER_COLUMNS}
FROM sessions JOIN users ON users.id = sessions.user_id
WHERE sessions.token_hash = ?1 AND users.disabled_at IS NULL`;

/** ?1 id, ?2 the refreshed_at that was read, ?3 now, ?4 expires. */
export const RENEW_SESSION = `UPDATE sessions SET refreshed_at = ?3, expires_at = ?4
WHERE id = ?1 AND refreshed_at = ?2 AND expires_at > ?3`;

/** ?1 token hash. */
export const DELETE_SESSION = "DELETE FROM sessions WHERE token_hash = ?1";

/** ?1 now, ?2 limit. */
export const SWEEP_SESSIONS = `DELETE FROM sessions
WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ?1 LIMIT ?2)`;
