// Written by `deno task templates`: the steps of `authSchema` of @framework/auth/storage.

/** Migration of the tables from the previous version to this one. */
export interface AuthUpgrade {
  /** The version afterwards. */
  version: number;
  up: string;
  down: string;
}

/** The steps from the first version of the tables to the present one, in order. */
export const authUpgrades: readonly AuthUpgrade[] = [
  {
    version: 2,
    up: `CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, id);
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
CREATE TABLE known_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_end ON known_browsers (expires_at);
ALTER TABLE accounts ADD COLUMN email TEXT;
ALTER TABLE verifications ADD COLUMN sent_to TEXT;
ALTER TABLE verifications ADD COLUMN session_id TEXT;
ALTER TABLE auth_schema ADD COLUMN compatible INTEGER NOT NULL DEFAULT 1;
ALTER TABLE auth_schema ADD COLUMN key TEXT;
UPDATE auth_schema SET version = 2, compatible = 1, key = lower(hex(randomblob(32)));
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
CREATE INDEX users_by_name ON users ((lower(name)), id);
CREATE TRIGGER user_roles_of_new AFTER INSERT ON users BEGIN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL UNION SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.roles) THEN NEW.roles ELSE '[]' END) WHERE type = 'text' AND typeof(key) = 'integer'; END;
CREATE TRIGGER user_roles_of_known AFTER UPDATE OF role, roles ON users BEGIN DELETE FROM user_roles WHERE user_id = NEW.id; INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL UNION SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.roles) THEN NEW.roles ELSE '[]' END) WHERE type = 'text' AND typeof(key) = 'integer'; END;
UPDATE users SET roles = roles WHERE role IS NOT NULL OR roles <> '[]';
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
UPDATE auth_schema SET version = 5, compatible = 1;
`,
    down: `DROP TABLE tenant_invitations;
DROP TABLE audit_seals;
DROP TABLE audit_people;
DROP TABLE audit_entries;
DROP TABLE api_keys;
DROP TRIGGER IF EXISTS user_roles_of_known;
DROP TRIGGER IF EXISTS user_roles_of_new;
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
UPDATE auth_schema SET version = 6, compatible = 1;
`,
    down: `DROP TABLE webhook_endpoints;
DROP TABLE auth_outbox;
UPDATE auth_schema SET version = 5;
`,
  },
];
