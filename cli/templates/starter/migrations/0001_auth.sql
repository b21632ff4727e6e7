-- Tables of @framework/auth. Times are integer milliseconds since 1970.

CREATE TABLE auth_schema (
  version INTEGER PRIMARY KEY NOT NULL,
  compatible INTEGER NOT NULL DEFAULT 1,
  key TEXT
);

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT,
  email_identity TEXT UNIQUE,
  name TEXT,
  image TEXT,
  email_verified INTEGER,
  role TEXT,
  roles TEXT NOT NULL DEFAULT '[]',
  disabled_at INTEGER,
  credentials_after INTEGER,
  created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000),
  updated_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000)
);
CREATE INDEX users_by_creation ON users (created_at, id);

CREATE TABLE user_roles (
  role TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (role, user_id)
);
CREATE INDEX user_roles_by_user ON user_roles (user_id);
CREATE INDEX users_by_name ON users ((lower(name)), id);
CREATE TRIGGER user_roles_of_new AFTER INSERT ON users BEGIN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL UNION SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.roles) THEN NEW.roles ELSE '[]' END) WHERE type = 'text' AND typeof(key) = 'integer'; END;
CREATE TRIGGER user_roles_of_known AFTER UPDATE OF role, roles ON users BEGIN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL UNION SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.roles) THEN NEW.roles ELSE '[]' END) WHERE type = 'text' AND typeof(key) = 'integer'; END;

CREATE TABLE accounts (
  provider TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  access_token TEXT,
  refresh_token TEXT,
  expires_at INTEGER,
  token_type TEXT,
  scope TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  email TEXT,
  PRIMARY KEY (provider, provider_account_id)
);
CREATE INDEX accounts_by_user ON accounts (user_id);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  tenant_id TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  authenticated_at INTEGER NOT NULL,
  refreshed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  device TEXT
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE verifications (
  purpose TEXT NOT NULL,
  hash TEXT NOT NULL,
  identifier TEXT,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  payload TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  sent_to TEXT,
  session_id TEXT,
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
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL DEFAULT '[]',
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  name TEXT,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE known_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_end ON known_browsers (expires_at);

CREATE TABLE password_hashes (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  changed_at INTEGER NOT NULL
);

CREATE TABLE pending_sign_ups (
  token_hash TEXT PRIMARY KEY NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT,
  password_hash TEXT NOT NULL,
  browser_hash TEXT NOT NULL,
  callback_url TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX pending_sign_ups_by_identity ON pending_sign_ups (email_identity);
CREATE INDEX pending_sign_ups_by_browser ON pending_sign_ups (browser_hash);
CREATE INDEX pending_sign_ups_by_end ON pending_sign_ups (expires_at);

CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  last_step INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  tries_since INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);

CREATE TABLE recovery_codes (
  hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
);
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

CREATE TABLE trusted_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (user_id);
CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

CREATE TABLE session_factors (
  session_id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX session_factors_by_user ON session_factors (user_id);
CREATE INDEX session_factors_by_end ON session_factors (expires_at);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  tenant_id TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  previous_hash TEXT,
  previous_until INTEGER,
  permissions TEXT NOT NULL DEFAULT '[]',
  limit_count INTEGER,
  limit_window INTEGER,
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
);
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at);
CREATE INDEX api_keys_by_maker ON api_keys (created_by);

CREATE TABLE account_activity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  provider TEXT,
  device TEXT,
  network TEXT,
  tenant_id TEXT,
  at INTEGER NOT NULL
);
CREATE INDEX account_activity_by_user ON account_activity (user_id, at);
CREATE INDEX account_activity_by_time ON account_activity (at);

CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  user_id TEXT,
  actor_id TEXT,
  text TEXT NOT NULL
);
CREATE INDEX audit_entries_by_user ON audit_entries (user_id, id);
CREATE INDEX audit_entries_by_actor ON audit_entries (actor_id, id);
CREATE INDEX audit_entries_by_type ON audit_entries (type, id);

CREATE TABLE audit_people (
  entry_id TEXT NOT NULL REFERENCES audit_entries (id) ON DELETE CASCADE,
  part TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  salt TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (entry_id, part)
);
CREATE INDEX audit_people_by_user ON audit_people (user_id);

CREATE TABLE audit_seals (
  hour INTEGER PRIMARY KEY NOT NULL,
  count INTEGER NOT NULL,
  entries TEXT NOT NULL,
  previous TEXT NOT NULL,
  digest TEXT NOT NULL
);

CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY NOT NULL,
  hits TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX rate_limits_by_end ON rate_limits (expires_at);

CREATE TABLE revocations (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revoked_at INTEGER NOT NULL,
  spared_id TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX revocations_by_end ON revocations (expires_at);

CREATE TABLE tenants (
  id TEXT PRIMARY KEY NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',
  suspended_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE TABLE tenant_members (
  tenant_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  roles TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX tenant_members_by_user ON tenant_members (user_id);

CREATE TABLE tenant_invitations (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  roles TEXT NOT NULL DEFAULT '[]',
  invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (tenant_id, email_identity)
);
CREATE INDEX tenant_invitations_by_inviter ON tenant_invitations (invited_by);
CREATE INDEX tenant_invitations_by_end ON tenant_invitations (expires_at);

CREATE TABLE auth_outbox (
  id TEXT NOT NULL,
  destination TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  lease TEXT,
  failure TEXT,
  PRIMARY KEY (id, destination)
);
CREATE INDEX auth_outbox_by_due ON auth_outbox (due_at);

CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL DEFAULT '[]',
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX webhook_endpoints_by_tenant ON webhook_endpoints (tenant_id, created_at);

INSERT INTO auth_schema (version, compatible, key)
VALUES (6, 1, lower(hex(randomblob(32))));
