/** The columns that make a user, without those of an application. */
export const USER_COLUMNS =
  "users.id, users.email, users.name, users.image, users.email_verified, users.role, users.roles";

/** The columns that make a session. */
export const SESSION_COLUMNS = "sessions.id AS session_id, sessions.created_at, " +
  "sessions.authenticated_at, sessions.refreshed_at, sessions.expires_at, sessions.tenant_id";
