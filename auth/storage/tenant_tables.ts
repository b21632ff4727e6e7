/**
 * Tables of tenants. Their operations are above the storage, in `tenant/sql.ts`: tenancy is a storage of its own.
 *
 * @module
 */

import type { FeatureTables } from "./tables.ts";

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
