/**
 * The tables, as statements for each step of their version.
 *
 * @module
 */

import type { AuthSchema, SchemaStep } from "./sql_database.ts";
import { COMPATIBLE_VERSION, SCHEMA_VERSION } from "./sql_executor.ts";

/** In what the two dialects differ. */
interface SchemaTypes {
  /** An integer of 64 bits. */
  integer: string;
  /** The present time in milliseconds. */
  now: string;
  /** A text of 64 hexadecimal digits that nobody can guess. */
  randomKey: string;
}

const SQLITE: SchemaTypes = {
  integer: "INTEGER",
  now: "(CAST(strftime('%s', 'now') AS INTEGER) * 1000)",
  randomKey: "lower(hex(randomblob(32)))",
};

const POSTGRES: SchemaTypes = {
  integer: "BIGINT",
  now: "(CAST(extract(epoch FROM now()) * 1000 AS BIGINT))",
  // The generator of gen_random_uuid() is the strong one, and 122 bits of each are random.
  randomKey: `encode(sha256(convert_to(
  CONCAT(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')), 'hex')`,
};

function knownBrowsers({ integer }: SchemaTypes): string {
  return `CREATE TABLE known_browsers (
  id_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_end ON known_browsers (expires_at);`;
}

function tables(types: SchemaTypes): string {
  const { integer, now, randomKey } = types;
  return `-- Tables of @framework/auth. Times are integer milliseconds since 1970.

CREATE TABLE auth_schema (
  version ${integer} PRIMARY KEY NOT NULL,
  compatible ${integer} NOT NULL DEFAULT 1,
  key TEXT
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
CREATE INDEX users_by_creation ON users (created_at, id);

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
  counter ${integer} NOT NULL,
  transports TEXT NOT NULL DEFAULT '[]',
  device_type TEXT NOT NULL,
  backed_up ${integer} NOT NULL,
  name TEXT,
  created_at ${integer} NOT NULL,
  last_used_at ${integer}
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

${knownBrowsers(types)}

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

INSERT INTO auth_schema (version, compatible, key)
VALUES (${SCHEMA_VERSION}, ${COMPATIBLE_VERSION}, ${randomKey});
`;
}

const DOWN = `DROP TABLE tenant_members;
DROP TABLE tenants;
DROP TABLE revocations;
DROP TABLE rate_limits;
DROP TABLE account_activity;
DROP TABLE known_browsers;
DROP TABLE passkeys;
DROP TABLE verifications;
DROP TABLE sessions;
DROP TABLE accounts;
DROP TABLE users;
DROP TABLE auth_schema;
`;

function steps(types: SchemaTypes): SchemaStep[] {
  const { integer, randomKey } = types;
  return [{
    version: 2,
    compatible: 1,
    // Tables in the order in which a sign-in writes them, so that PostgreSQL finds no deadlock of the two.
    up: `CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, id);
${knownBrowsers(types)}
ALTER TABLE accounts ADD COLUMN email TEXT;
ALTER TABLE verifications ADD COLUMN sent_to TEXT;
ALTER TABLE verifications ADD COLUMN session_id TEXT;
ALTER TABLE auth_schema ADD COLUMN compatible ${integer} NOT NULL DEFAULT 1;
ALTER TABLE auth_schema ADD COLUMN key TEXT;
UPDATE auth_schema SET version = 2, compatible = 1, key = ${randomKey};
`,
    down: `DROP INDEX users_by_creation;
DROP TABLE known_browsers;
ALTER TABLE verifications DROP COLUMN session_id;
ALTER TABLE verifications DROP COLUMN sent_to;
ALTER TABLE accounts DROP COLUMN email;
ALTER TABLE auth_schema DROP COLUMN key;
ALTER TABLE auth_schema DROP COLUMN compatible;
UPDATE auth_schema SET version = 1;
`,
  }];
}

/**
 * Tables that the SQL storage needs, for SQLite, which D1 is. An application keeps `up` and `down`
 * as a migration of its own, and later each of `steps` that its tables lack.
 *
 * @example
 * ```ts
 * import { authSchema } from "@framework/auth/storage";
 * import { DatabaseSync } from "node:sqlite";
 * import { equal } from "node:assert/strict";
 *
 * const database = new DatabaseSync(":memory:");
 * database.exec(authSchema.up);
 * equal(database.prepare("SELECT version FROM auth_schema").get()?.version, authSchema.version);
 * database.close();
 * ```
 */
export const authSchema: AuthSchema = {
  version: SCHEMA_VERSION,
  // Pure, so that a bundle which does not use the text leaves it out.
  up: /* @__PURE__ */ tables(SQLITE),
  steps: /* @__PURE__ */ steps(SQLITE),
  down: DOWN,
};

/**
 * The same tables for PostgreSQL.
 *
 * @example
 * ```ts
 * import { postgresSchema } from "@framework/auth/storage-postgres";
 * import { match } from "node:assert/strict";
 *
 * match(postgresSchema.up, /expires_at BIGINT NOT NULL/);
 * ```
 */
export const postgresSchema: AuthSchema = {
  version: SCHEMA_VERSION,
  up: /* @__PURE__ */ tables(POSTGRES),
  steps: /* @__PURE__ */ steps(POSTGRES),
  down: DOWN,
};
