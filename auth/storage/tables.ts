/**
 * Tables of each feature, and what later versions add to them. They stand apart from the operations, so that an entry
 * which makes tables loads no operations.
 *
 * @module
 */

/** Column types and defaults that differ between the two dialects. */
export interface SchemaTypes {
  /** An integer of 64 bits. */
  integer: string;
  /** The present time in milliseconds. */
  now: string;
  /** A text of 64 hexadecimal digits that nobody can guess. */
  randomKey: string;
  /** Clause after a text by which it is ordered by its bytes; empty where every text is. */
  byBytes: string;
  /** Statements by which a write to `users.role` or `users.roles` writes `user_roles` too. */
  rolesTrigger: string;
  /** Statements that take them back. */
  noRolesTrigger: string;
}

/** Tables of one feature. `FEATURES` of the schema lists them. */
export interface FeatureTables {
  /** Names of the tables, in the order in which they are made. */
  readonly names: readonly string[];
  /** Writes the statements that make the tables, with what all versions have added. */
  create(types: SchemaTypes): string;
  /**
   * Statements that a version adds to the tables of the previous one, by version number. Versions
   * only add. Default: none.
   */
  readonly steps?: Readonly<Record<number, FeatureStep>>;
}

/** Statements that a version adds to the tables of a feature. */
export interface FeatureStep {
  /** Writes the statements that add it. */
  up(types: SchemaTypes): string;
  /** Statements that take it back, with what it holds. */
  down: string | ((types: SchemaTypes) => string);
}

/** Table of users. */
export const userTables: FeatureTables = {
  names: ["users"],
  create: ({ integer, now }) =>
    `CREATE TABLE users (
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
CREATE INDEX users_by_creation ON users (created_at, id);`,
  steps: {
    2: {
      up: () => `CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, id);`,
      down: `DROP INDEX users_by_creation;`,
    },
  },
};

function createDirectory(types: SchemaTypes): string {
  const { byBytes, rolesTrigger } = types;
  const identity = byBytes && `
CREATE INDEX users_by_identity ON users (email_identity${byBytes});`;
  return `CREATE TABLE user_roles (
  role TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (role, user_id)
);
CREATE INDEX user_roles_by_user ON user_roles (user_id);
CREATE INDEX users_by_name ON users ((lower(name${byBytes}))${byBytes}, id);${identity}
${rolesTrigger}`;
}

/**
 * Table of roles by which users are found, and indexes of their names, which version 5 brought. A trigger writes the table,
 * so that it holds whatever writes the roles: a sign-in, a console, the release before.
 */
export const directoryTables: FeatureTables = {
  names: ["user_roles"],
  create: createDirectory,
  steps: {
    5: {
      up: (types) =>
        `${createDirectory(types)}
UPDATE users SET roles = roles WHERE role IS NOT NULL OR roles <> '[]';`,
      down: ({ byBytes, noRolesTrigger }) =>
        `${noRolesTrigger}${byBytes && "\nDROP INDEX users_by_identity;"}
DROP INDEX users_by_name;
DROP TABLE user_roles;`,
    },
  },
};

/** Table of sessions. */
export const sessionTables: FeatureTables = {
  names: ["sessions"],
  create: ({ integer }) =>
    `CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  tenant_id TEXT,
  user_agent TEXT,
  created_at ${integer} NOT NULL,
  authenticated_at ${integer} NOT NULL,
  refreshed_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  device TEXT
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);`,
  steps: {
    4: {
      up: () => `ALTER TABLE sessions ADD COLUMN device TEXT;`,
      down: `ALTER TABLE sessions DROP COLUMN device;`,
    },
  },
};

/** Table of accounts at providers. */
export const accountTables: FeatureTables = {
  names: ["accounts"],
  create: ({ integer }) =>
    `CREATE TABLE accounts (
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
  email TEXT,
  PRIMARY KEY (provider, provider_account_id)
);
CREATE INDEX accounts_by_user ON accounts (user_id);`,
  steps: {
    2: {
      up: () => `ALTER TABLE accounts ADD COLUMN email TEXT;`,
      down: `ALTER TABLE accounts DROP COLUMN email;`,
    },
  },
};

/** Table of one-time secrets. */
export const secretTables: FeatureTables = {
  names: ["verifications"],
  create: ({ integer }) =>
    `CREATE TABLE verifications (
  purpose TEXT NOT NULL,
  hash TEXT NOT NULL,
  identifier TEXT,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  payload TEXT,
  attempts ${integer} NOT NULL DEFAULT 0,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  sent_to TEXT,
  session_id TEXT,
  PRIMARY KEY (purpose, hash)
);
CREATE INDEX verifications_by_identifier ON verifications (purpose, identifier);
CREATE INDEX verifications_by_user ON verifications (user_id);
CREATE INDEX verifications_by_end ON verifications (expires_at);`,
  steps: {
    2: {
      up: () =>
        `ALTER TABLE verifications ADD COLUMN sent_to TEXT;
ALTER TABLE verifications ADD COLUMN session_id TEXT;`,
      down: `ALTER TABLE verifications DROP COLUMN session_id;
ALTER TABLE verifications DROP COLUMN sent_to;`,
    },
  },
};

/** Table of passkeys. */
export const passkeyTables: FeatureTables = {
  names: ["passkeys"],
  create: ({ integer }) =>
    `CREATE TABLE passkeys (
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
CREATE INDEX passkeys_by_user ON passkeys (user_id);`,
};

function createKnownBrowsers({ integer }: SchemaTypes): string {
  return `CREATE TABLE known_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_end ON known_browsers (expires_at);`;
}

/** Table of known browsers, which version 2 brought. */
export const knownBrowserTables: FeatureTables = {
  names: ["known_browsers"],
  create: createKnownBrowsers,
  steps: {
    2: { up: createKnownBrowsers, down: "DROP TABLE known_browsers;" },
  },
};

function createPasswords({ integer }: SchemaTypes): string {
  return `CREATE TABLE password_hashes (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  changed_at ${integer} NOT NULL
);

CREATE TABLE pending_sign_ups (
  token_hash TEXT PRIMARY KEY NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT,
  password_hash TEXT NOT NULL,
  browser_hash TEXT NOT NULL,
  callback_url TEXT,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX pending_sign_ups_by_identity ON pending_sign_ups (email_identity);
CREATE INDEX pending_sign_ups_by_browser ON pending_sign_ups (browser_hash);
CREATE INDEX pending_sign_ups_by_end ON pending_sign_ups (expires_at);`;
}

/** Tables of passwords and pending sign-ups, which version 2 brought. Applications have tables called `passwords`. */
export const passwordTables: FeatureTables = {
  names: ["password_hashes", "pending_sign_ups"],
  create: createPasswords,
  steps: {
    2: {
      up: createPasswords,
      down: `DROP TABLE pending_sign_ups;
DROP TABLE password_hashes;`,
    },
  },
};

function createSecondFactors({ integer }: SchemaTypes): string {
  return `CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  last_step ${integer} NOT NULL,
  tries ${integer} NOT NULL DEFAULT 0,
  tries_since ${integer} NOT NULL DEFAULT 0,
  created_at ${integer} NOT NULL
);

CREATE TABLE recovery_codes (
  hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at ${integer} NOT NULL
);
CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

CREATE TABLE trusted_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent TEXT,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (user_id);
CREATE INDEX trusted_browsers_by_end ON trusted_browsers (expires_at);

CREATE TABLE session_factors (
  session_id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX session_factors_by_user ON session_factors (user_id);
CREATE INDEX session_factors_by_end ON session_factors (expires_at);`;
}

/** Tables of second factors, which version 3 brought. */
export const secondFactorTables: FeatureTables = {
  names: ["second_factors", "recovery_codes", "trusted_browsers", "session_factors"],
  create: createSecondFactors,
  steps: {
    3: {
      up: createSecondFactors,
      down: `DROP TABLE session_factors;
DROP TABLE trusted_browsers;
DROP TABLE recovery_codes;
DROP TABLE second_factors;`,
    },
  },
};

function createApiKeys({ integer }: SchemaTypes): string {
  return `CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  tenant_id TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  previous_hash TEXT,
  previous_until ${integer},
  permissions TEXT NOT NULL DEFAULT '[]',
  limit_count ${integer},
  limit_window ${integer},
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer},
  last_used_at ${integer}
);
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at);
CREATE INDEX api_keys_by_maker ON api_keys (created_by);`;
}

/** Table of API keys, which version 5 brought. */
export const apiKeyTables: FeatureTables = {
  names: ["api_keys"],
  create: createApiKeys,
  steps: {
    5: { up: createApiKeys, down: "DROP TABLE api_keys;" },
  },
};

/** Table of what happened to accounts. */
export const activityTables: FeatureTables = {
  names: ["account_activity"],
  create: ({ integer }) =>
    `CREATE TABLE account_activity (
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
CREATE INDEX account_activity_by_time ON account_activity (at);`,
};

/** Table of attempts. */
export const rateLimitTables: FeatureTables = {
  names: ["rate_limits"],
  create: ({ integer }) =>
    `CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY NOT NULL,
  hits TEXT NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX rate_limits_by_end ON rate_limits (expires_at);`,
};

/** Table of ended sessions of signed tokens. */
export const revocationTables: FeatureTables = {
  names: ["revocations"],
  create: ({ integer }) =>
    `CREATE TABLE revocations (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  revoked_at ${integer} NOT NULL,
  spared_id TEXT,
  expires_at ${integer} NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX revocations_by_end ON revocations (expires_at);`,
};

/** Tables of tenants and their members. */
export const tenantTables: FeatureTables = {
  names: ["tenants", "tenant_members"],
  create: ({ integer }) =>
    `CREATE TABLE tenants (
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
CREATE INDEX tenant_members_by_user ON tenant_members (user_id);`,
};

function createAudit({ integer }: SchemaTypes): string {
  return `CREATE TABLE audit_entries (
  id TEXT PRIMARY KEY NOT NULL,
  at ${integer} NOT NULL,
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
  hour ${integer} PRIMARY KEY NOT NULL,
  count ${integer} NOT NULL,
  entries TEXT NOT NULL,
  previous TEXT NOT NULL,
  digest TEXT NOT NULL
);`;
}

/**
 * Tables of the trail, which version 5 brought. An entry names people by their ids, without a reference, and outlives them;
 * what is personal stands beside it and goes with them.
 */
export const auditTables: FeatureTables = {
  names: ["audit_entries", "audit_people", "audit_seals"],
  create: createAudit,
  steps: {
    5: {
      up: createAudit,
      down: `DROP TABLE audit_seals;
DROP TABLE audit_people;
DROP TABLE audit_entries;`,
    },
  },
};

function createInvitations({ integer }: SchemaTypes): string {
  return `CREATE TABLE tenant_invitations (
  id TEXT PRIMARY KEY NOT NULL,
  tenant_id TEXT NOT NULL,
  email_identity TEXT NOT NULL,
  email TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  roles TEXT NOT NULL DEFAULT '[]',
  invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  UNIQUE (tenant_id, email_identity)
);
CREATE INDEX tenant_invitations_by_inviter ON tenant_invitations (invited_by);
CREATE INDEX tenant_invitations_by_end ON tenant_invitations (expires_at);`;
}

/** Table of invitations to tenants, which version 5 brought. */
export const invitationTables: FeatureTables = {
  names: ["tenant_invitations"],
  create: createInvitations,
  steps: {
    5: { up: createInvitations, down: "DROP TABLE tenant_invitations;" },
  },
};

function createOutbox({ integer }: SchemaTypes): string {
  return `CREATE TABLE auth_outbox (
  id TEXT NOT NULL,
  destination TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  at ${integer} NOT NULL,
  tries ${integer} NOT NULL DEFAULT 0,
  due_at ${integer},
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
  previous_until ${integer},
  created_at ${integer} NOT NULL
);
CREATE INDEX webhook_endpoints_by_tenant ON webhook_endpoints (tenant_id, created_at);`;
}

/**
 * Tables of events that are to be delivered, and of the addresses that tenants have set, which version 6 brought. An event
 * names people by their ids, without a reference, and outlives them until it is delivered.
 */
export const outboxTables: FeatureTables = {
  names: ["auth_outbox", "webhook_endpoints"],
  create: createOutbox,
  steps: {
    6: {
      up: createOutbox,
      down: `DROP TABLE webhook_endpoints;
DROP TABLE auth_outbox;`,
    },
  },
};
