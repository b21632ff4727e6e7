// Written by `deno task templates`: `postgresSchema` of @framework/auth/postgres.
import type { AuthUpgrade } from "./auth_upgrades.ts";

/** SQL that makes the tables in an empty PostgreSQL database. */
export const postgresTables: string =
  `-- Tables of @framework/auth. Times are integer milliseconds since 1970.

CREATE TABLE auth_schema (
  version BIGINT PRIMARY KEY NOT NULL,
  compatible BIGINT NOT NULL DEFAULT 1,
  key TEXT
);

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT,
  email_identity TEXT UNIQUE,
  name TEXT,
  image TEXT,
  email_verified BIGINT,
  role TEXT,
  roles TEXT NOT NULL DEFAULT '[]',
  disabled_at BIGINT,
  credentials_after BIGINT,
  created_at BIGINT NOT NULL DEFAULT (CAST(extract(epoch FROM now()) * 1000 AS BIGINT)),
  updated_at BIGINT NOT NULL DEFAULT (CAST(extract(epoch FROM now()) * 1000 AS BIGINT))
);
CREATE INDEX users_by_creation ON users (created_at, id);

CREATE TABLE user_roles (
  role TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (role, user_id)
);
CREATE INDEX user_roles_by_user ON user_roles (user_id);
CREATE INDEX users_by_name ON users ((lower(name COLLATE "C")) COLLATE "C", id);
CREATE INDEX users_by_identity ON users (email_identity COLLATE "C");
CREATE OR REPLACE FUNCTION auth_write_user_roles() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL UNION SELECT value, NEW.id FROM json_array_elements_text(NEW.roles::json) WHERE value IS NOT NULL; RETURN NULL; EXCEPTION WHEN data_exception THEN RETURN NULL; END \$\$;
CREATE TRIGGER user_roles_of_new AFTER INSERT ON users FOR EACH ROW WHEN (NEW.role IS NOT NULL OR NEW.roles <> '[]') EXECUTE FUNCTION auth_write_user_roles();
CREATE TRIGGER user_roles_of_known AFTER UPDATE OF role, roles ON users FOR EACH ROW EXECUTE FUNCTION auth_write_user_roles();

CREATE TABLE accounts (
  provider TEXT NOT NULL,
  provider_account_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  access_token TEXT,
  refresh_token TEXT,
  expires_at BIGINT,
  token_type TEXT,
  scope TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
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
  created_at BIGINT NOT NULL,
  authenticated_at BIGINT NOT NULL,
  refreshed_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
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
  attempts BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
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
  counter BIGINT NOT NULL,
  transports TEXT NOT NULL DEFAULT '[]',
  device_type TEXT NOT NULL,
  backed_up BIGINT NOT NULL,
  name TEXT,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE TABLE known_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_end ON known_browsers (expires_at);

CREATE TABLE password_hashes (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);

CREATE TABLE pending_sign_ups (
  token_hash TEXT PRIMARY KEY NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT,
  password_hash TEXT NOT NULL,
  browser_hash TEXT NOT NULL,
  callback_url TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ups_by_identity ON pending_sign_ups (email_identity);
CREATE INDEX pending_sign_ups_by_browser ON pending_sign_ups (browser_hash);
CREATE INDEX pending_sign_ups_by_end ON pending_sign_ups (expires_at);

CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  last_step BIGINT NOT NULL,
  tries BIGINT NOT NULL DEFAULT 0,
  tries_since BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
  hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL
);
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

CREATE TABLE trusted_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (user_id);
CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

CREATE TABLE session_factors (
  session_id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
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
  previous_until BIGINT,
  permissions TEXT NOT NULL DEFAULT '[]',
  limit_count BIGINT,
  limit_window BIGINT,
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT
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
  at BIGINT NOT NULL
);
CREATE INDEX account_activity_by_user ON account_activity (user_id, at);
CREATE INDEX account_activity_by_time ON account_activity (at);

CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY NOT NULL,
  at BIGINT NOT NULL,
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
  hour BIGINT PRIMARY KEY NOT NULL,
  count BIGINT NOT NULL,
  entries TEXT NOT NULL,
  previous TEXT NOT NULL,
  digest TEXT NOT NULL
);

CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY NOT NULL,
  hits TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX rate_limits_by_end ON rate_limits (expires_at);

CREATE TABLE revocations (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revoked_at BIGINT NOT NULL,
  spared_id TEXT,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX revocations_by_end ON revocations (expires_at);

CREATE TABLE tenants (
  id TEXT PRIMARY KEY NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',
  suspended_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE tenant_members (
  tenant_id TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  roles TEXT NOT NULL DEFAULT '[]',
  created_at BIGINT NOT NULL,
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
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  UNIQUE (tenant_id, email_identity)
);
CREATE INDEX tenant_invitations_by_inviter ON tenant_invitations (invited_by);
CREATE INDEX tenant_invitations_by_end ON tenant_invitations (expires_at);

CREATE TABLE auth_outbox (
  id TEXT NOT NULL,
  destination TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  at BIGINT NOT NULL,
  tries BIGINT NOT NULL DEFAULT 0,
  due_at BIGINT,
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
  previous_until BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX webhook_endpoints_by_tenant ON webhook_endpoints (tenant_id, created_at);

INSERT INTO auth_schema (version, compatible, key)
VALUES (6, 1, encode(sha256(convert_to(
  CONCAT(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')), 'hex'));
`;

/** SQL that removes them. */
export const postgresRemoval: string = `DROP TRIGGER IF EXISTS user_roles_of_known ON users;
DROP TRIGGER IF EXISTS user_roles_of_new ON users;
DROP FUNCTION IF EXISTS auth_write_user_roles();
DROP TABLE webhook_endpoints;
DROP TABLE auth_outbox;
DROP TABLE tenant_invitations;
DROP TABLE tenant_members;
DROP TABLE tenants;
DROP TABLE revocations;
DROP TABLE rate_limits;
DROP TABLE audit_seals;
DROP TABLE audit_people;
DROP TABLE audit_entries;
DROP TABLE account_activity;
DROP TABLE api_keys;
DROP TABLE session_factors;
DROP TABLE trusted_browsers;
DROP TABLE recovery_codes;
DROP TABLE second_factors;
DROP TABLE pending_sign_ups;
DROP TABLE password_hashes;
DROP TABLE known_browsers;
DROP TABLE passkeys;
DROP TABLE verifications;
DROP TABLE sessions;
DROP TABLE accounts;
DROP TABLE user_roles;
DROP TABLE users;
DROP TABLE auth_schema;
`;

/** The steps from the first version of the tables to the present one, in order. */
export const postgresUpgrades: readonly AuthUpgrade[] = [
  {
    version: 2,
    up: `CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, id);
CREATE TABLE password_hashes (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);

CREATE TABLE pending_sign_ups (
  token_hash TEXT PRIMARY KEY NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT,
  password_hash TEXT NOT NULL,
  browser_hash TEXT NOT NULL,
  callback_url TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ups_by_identity ON pending_sign_ups (email_identity);
CREATE INDEX pending_sign_ups_by_browser ON pending_sign_ups (browser_hash);
CREATE INDEX pending_sign_ups_by_end ON pending_sign_ups (expires_at);
CREATE TABLE known_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_end ON known_browsers (expires_at);
ALTER TABLE accounts ADD COLUMN email TEXT;
ALTER TABLE verifications ADD COLUMN sent_to TEXT;
ALTER TABLE verifications ADD COLUMN session_id TEXT;
ALTER TABLE auth_schema ADD COLUMN compatible BIGINT NOT NULL DEFAULT 1;
ALTER TABLE auth_schema ADD COLUMN key TEXT;
UPDATE auth_schema SET version = 2, compatible = 1, key = encode(sha256(convert_to(
  CONCAT(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')), 'hex');
`,
    down: `ALTER TABLE verifications DROP COLUMN session_id;
ALTER TABLE verifications DROP COLUMN sent_to;
ALTER TABLE accounts DROP COLUMN email;
DROP TABLE known_browsers;
DROP TABLE pending_sign_ups;
DROP TABLE password_hashes;
DROP INDEX users_by_creation;
ALTER TABLE auth_schema DROP COLUMN key;
ALTER TABLE auth_schema DROP COLUMN compatible;
UPDATE auth_schema SET version = 1;
`,
  },
  {
    version: 3,
    up: `CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  last_step BIGINT NOT NULL,
  tries BIGINT NOT NULL DEFAULT 0,
  tries_since BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
  hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL
);
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

CREATE TABLE trusted_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (user_id);
CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

CREATE TABLE session_factors (
  session_id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX session_factors_by_user ON session_factors (user_id);
CREATE INDEX session_factors_by_end ON session_factors (expires_at);
UPDATE auth_schema SET version = 3, compatible = 1;
`,
    down: `DROP TABLE session_factors;
DROP TABLE trusted_browsers;
DROP TABLE recovery_codes;
DROP TABLE second_factors;
UPDATE auth_schema SET version = 2;
`,
  },
  {
    version: 4,
    up: `ALTER TABLE sessions ADD COLUMN device TEXT;
UPDATE auth_schema SET version = 4, compatible = 1;
`,
    down: `ALTER TABLE sessions DROP COLUMN device;
UPDATE auth_schema SET version = 3;
`,
  },
  {
    version: 5,
    up: `CREATE TABLE user_roles (
  role TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (role, user_id)
);
CREATE INDEX user_roles_by_user ON user_roles (user_id);
CREATE INDEX users_by_name ON users ((lower(name COLLATE "C")) COLLATE "C", id);
CREATE INDEX users_by_identity ON users (email_identity COLLATE "C");
CREATE OR REPLACE FUNCTION auth_write_user_roles() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL UNION SELECT value, NEW.id FROM json_array_elements_text(NEW.roles::json) WHERE value IS NOT NULL; RETURN NULL; EXCEPTION WHEN data_exception THEN RETURN NULL; END \$\$;
CREATE TRIGGER user_roles_of_new AFTER INSERT ON users FOR EACH ROW WHEN (NEW.role IS NOT NULL OR NEW.roles <> '[]') EXECUTE FUNCTION auth_write_user_roles();
CREATE TRIGGER user_roles_of_known AFTER UPDATE OF role, roles ON users FOR EACH ROW EXECUTE FUNCTION auth_write_user_roles();
UPDATE users SET roles = roles WHERE role IS NOT NULL OR roles <> '[]';
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  tenant_id TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  previous_hash TEXT,
  previous_until BIGINT,
  permissions TEXT NOT NULL DEFAULT '[]',
  limit_count BIGINT,
  limit_window BIGINT,
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT
);
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at);
CREATE INDEX api_keys_by_maker ON api_keys (created_by);
CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY NOT NULL,
  at BIGINT NOT NULL,
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
  hour BIGINT PRIMARY KEY NOT NULL,
  count BIGINT NOT NULL,
  entries TEXT NOT NULL,
  previous TEXT NOT NULL,
  digest TEXT NOT NULL
);
CREATE TABLE tenant_invitations (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  roles TEXT NOT NULL DEFAULT '[]',
  invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  UNIQUE (tenant_id, email_identity)
);
CREATE INDEX tenant_invitations_by_inviter ON tenant_invitations (invited_by);
CREATE INDEX tenant_invitations_by_end ON tenant_invitations (expires_at);
UPDATE auth_schema SET version = 5, compatible = 1;
`,
    down: `DROP TABLE tenant_invitations;
DROP TABLE audit_seals;
DROP TABLE audit_people;
DROP TABLE audit_entries;
DROP TABLE api_keys;
DROP TRIGGER IF EXISTS user_roles_of_known ON users;
DROP TRIGGER IF EXISTS user_roles_of_new ON users;
DROP FUNCTION IF EXISTS auth_write_user_roles();
DROP INDEX users_by_identity;
DROP INDEX users_by_name;
DROP TABLE user_roles;
UPDATE auth_schema SET version = 4;
`,
  },
  {
    version: 6,
    up: `CREATE TABLE auth_outbox (
  id TEXT NOT NULL,
  destination TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  at BIGINT NOT NULL,
  tries BIGINT NOT NULL DEFAULT 0,
  due_at BIGINT,
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
  previous_until BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX webhook_endpoints_by_tenant ON webhook_endpoints (tenant_id, created_at);
UPDATE auth_schema SET version = 6, compatible = 1;
`,
    down: `DROP TABLE webhook_endpoints;
DROP TABLE auth_outbox;
UPDATE auth_schema SET version = 5;
`,
  },
];
