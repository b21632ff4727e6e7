function tables(integer: string, now: string): string {
  return `-- Tables of @framework/auth. Times are integer milliseconds since 1970.

CREATE TABLE auth_schema (
  version ${integer} PRIMARY KEY NOT NULL
);

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT,
  email_identity TEXT UNIQUE,
  name TEXT,
  image TEXT,
  email_verified ${integer},
  role TEXT,
  roles TEXT NOT NULL DEFAULT '[]',
  disabled_at ${integer},
  credentials_after ${integer},
  created_at ${integer} NOT NULL DEFAULT ${now},
  updated_at ${integer} NOT NULL DEFAULT ${now}
);

CREATE TABLE accounts (
  provider TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  access_token TEXT,
  refresh_token TEXT,
  expires_at ${integer},
  token_type TEXT,
  scope TEXT,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  PRIMARY KEY (provider, provider_account_id)
);
CREATE INDEX accounts_by_user ON accounts (user_id);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  tenant_id TEXT,
  user_agent TEXT,
  created_at ${integer} NOT NULL,
  authenticated_at ${integer} NOT NULL,
  refreshed_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE verifications (
  purpose TEXT NOT NULL,
  hash TEXT NOT NULL,
  identifier TEXT,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  payload TEXT,
  attempts ${integer} NOT NULL DEFAULT 0,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  PRIMARY KEY (purpose, hash)
);
CREATE INDEX verifications_by_identifier ON verifications (purpose, identifier);
CREATE INDEX verifications_by_user ON verifications (user_id);
CREATE INDEX verifications_by_end ON verifications (expires_at);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_handle TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter ${integer} NOT NULL,
  transports TEXT NOT NULL DEFAULT '[]',
  device_type TEXT NOT NULL,
  backed_up ${integer} NOT NULL,
  name TEXT,
  created_at ${integer} NOT NULL,
  last_used_at ${integer}
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE account_activity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  provider TEXT,
  device TEXT,
  network TEXT,
  tenant_id TEXT,
  at ${integer} NOT NULL
);
CREATE INDEX account_activity_by_user ON account_activity (user_id, at);
CREATE INDEX account_activity_by_time ON account_activity (at);

CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY NOT NULL,
  hits TEXT NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX rate_limits_by_end ON rate_limits (expires_at);

CREATE TABLE revocations (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  spared_id TEXT,
  expires_at ${integer} NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX revocations_by_end ON revocations (expires_at);

CREATE TABLE tenants (
  id TEXT PRIMARY KEY NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',
  suspended_at ${integer},
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
);

CREATE TABLE tenant_members (
  tenant_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  roles TEXT NOT NULL DEFAULT '[]',
  created_at ${integer} NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX tenant_members_by_user ON tenant_members (user_id);

INSERT INTO auth_schema (version) VALUES (1);
`;
}

/** The tables as the first release made them, for SQLite: what its applications have. */
export const SQLITE_VERSION_1: string = tables(
  "INTEGER",
  "(CAST(strftime('%s', 'now') AS INTEGER) * 1000)",
);

/** The same for PostgreSQL. */
export const POSTGRES_VERSION_1: string = tables(
  "BIGINT",
  "(CAST(extract(epoch FROM now()) * 1000 AS BIGINT))",
);
