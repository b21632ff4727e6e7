/**
 * The tables, as statements for each step of their version.
 *
 * @module
 */

import type { AuthSchema, SchemaStep } from "./sql_database.ts";
import {
  accountTables,
  activityTables,
  apiKeyTables,
  auditTables,
  directoryTables,
  type FeatureStep,
  type FeatureTables,
  invitationTables,
  knownBrowserTables,
  outboxTables,
  passkeyTables,
  passwordTables,
  rateLimitTables,
  revocationTables,
  type SchemaTypes,
  secondFactorTables,
  secretTables,
  sessionTables,
  tenantTables,
  userTables,
} from "./tables.ts";
import { COMPATIBLE_VERSION, SCHEMA_VERSION } from "./sql_executor.ts";

// Each trigger is one line: a `;` at the end of a line ends a statement.
function sqliteTrigger(event: string, first: string): string {
  return `${first} AFTER ${event} ON users BEGIN \
DELETE FROM user_roles WHERE user_id = NEW.id; \
INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL \
UNION SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.roles) THEN NEW.roles ELSE '[]' END) \
WHERE type = 'text' AND typeof(key) = 'integer'; END;`;
}

const SQLITE: SchemaTypes = {
  integer: "INTEGER",
  now: "(CAST(strftime('%s', 'now') AS INTEGER) * 1000)",
  randomKey: "lower(hex(randomblob(32)))",
  byBytes: "",
  get rolesTrigger() {
    return [
      sqliteTrigger("INSERT", "CREATE TRIGGER user_roles_of_new"),
      sqliteTrigger("UPDATE OF role, roles", "CREATE TRIGGER user_roles_of_known"),
    ].join("\n");
  },
  noRolesTrigger: `DROP TRIGGER IF EXISTS user_roles_of_known;
DROP TRIGGER IF EXISTS user_roles_of_new;`,
};

const POSTGRES: SchemaTypes = {
  integer: "BIGINT",
  now: "(CAST(extract(epoch FROM now()) * 1000 AS BIGINT))",
  // The generator of gen_random_uuid() is the strong one, and 122 bits of each are random.
  randomKey: `encode(sha256(convert_to(
  CONCAT(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')), 'hex')`,
  byBytes: ' COLLATE "C"',
  // What is no list of texts is none, as for whoever reads it, and keeps nobody from writing the user.
  rolesTrigger:
    `CREATE OR REPLACE FUNCTION auth_write_user_roles() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
DELETE FROM user_roles WHERE user_id = NEW.id; \
INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id WHERE NEW.role IS NOT NULL \
UNION SELECT value, NEW.id FROM json_array_elements_text(NEW.roles::json) WHERE value IS NOT NULL; \
RETURN NULL; EXCEPTION WHEN data_exception THEN RETURN NULL; END $$;
CREATE TRIGGER user_roles_of_new AFTER INSERT ON users \
FOR EACH ROW WHEN (NEW.role IS NOT NULL OR NEW.roles <> '[]') EXECUTE FUNCTION auth_write_user_roles();
CREATE TRIGGER user_roles_of_known AFTER UPDATE OF role, roles ON users \
FOR EACH ROW EXECUTE FUNCTION auth_write_user_roles();`,
  noRolesTrigger: `DROP TRIGGER IF EXISTS user_roles_of_known ON users;
DROP TRIGGER IF EXISTS user_roles_of_new ON users;
DROP FUNCTION IF EXISTS auth_write_user_roles();`,
};

/** Tables of all features, in the order in which they are made: none refers to a later one. */
const FEATURES: readonly FeatureTables[] = [
  userTables,
  directoryTables,
  accountTables,
  sessionTables,
  secretTables,
  passkeyTables,
  knownBrowserTables,
  passwordTables,
  secondFactorTables,
  apiKeyTables,
  activityTables,
  auditTables,
  rateLimitTables,
  revocationTables,
  tenantTables,
  invitationTables,
  outboxTables,
];

/** Additions of a version to the version marker, and the features they belong to. */
interface SchemaVersion extends FeatureStep {
  version: number;
  compatible: number;
  /** In the order in which a sign-in writes their tables, so that PostgreSQL finds no deadlock of the two. */
  features: readonly FeatureTables[];
}

const VERSIONS: readonly SchemaVersion[] = [{
  version: 2,
  compatible: 1,
  features: [userTables, passwordTables, knownBrowserTables, accountTables, secretTables],
  up: ({ integer, randomKey }) =>
    `ALTER TABLE auth_schema ADD COLUMN compatible ${integer} NOT NULL DEFAULT 1;
ALTER TABLE auth_schema ADD COLUMN key TEXT;
UPDATE auth_schema SET version = 2, compatible = 1, key = ${randomKey};`,
  down: `ALTER TABLE auth_schema DROP COLUMN key;
ALTER TABLE auth_schema DROP COLUMN compatible;
UPDATE auth_schema SET version = 1;`,
}, {
  version: 3,
  compatible: 1,
  features: [secondFactorTables],
  up: () => `UPDATE auth_schema SET version = 3, compatible = 1;`,
  down: `UPDATE auth_schema SET version = 2;`,
}, {
  version: 4,
  compatible: 1,
  features: [sessionTables],
  up: () => `UPDATE auth_schema SET version = 4, compatible = 1;`,
  down: `UPDATE auth_schema SET version = 3;`,
}, {
  version: 5,
  compatible: 1,
  features: [directoryTables, apiKeyTables, auditTables, invitationTables],
  up: () => `UPDATE auth_schema SET version = 5, compatible = 1;`,
  down: `UPDATE auth_schema SET version = 4;`,
}, {
  version: 6,
  compatible: 1,
  features: [outboxTables],
  up: () => `UPDATE auth_schema SET version = 6, compatible = 1;`,
  down: `UPDATE auth_schema SET version = 5;`,
}];

/** Writes the statements that make all tables. */
export function tables(types: SchemaTypes): string {
  const { integer, randomKey } = types;
  return `-- Tables of @framework/auth. Times are integer milliseconds since 1970.

CREATE TABLE auth_schema (
  version ${integer} PRIMARY KEY NOT NULL,
  compatible ${integer} NOT NULL DEFAULT 1,
  key TEXT
);

${FEATURES.map(({ create }) => create(types)).join("\n\n")}

INSERT INTO auth_schema (version, compatible, key)
VALUES (${SCHEMA_VERSION}, ${COMPATIBLE_VERSION}, ${randomKey});
`;
}

/** Writes the statements that remove them. */
export function dropTables({ noRolesTrigger }: SchemaTypes): string {
  const names = ["auth_schema", ...FEATURES.flatMap((feature) => feature.names)];
  return `${noRolesTrigger}\n${names.toReversed().map((name) => `DROP TABLE ${name};\n`).join("")}`;
}

/** Writes the steps from one version to the next. */
export function steps(types: SchemaTypes): SchemaStep[] {
  return VERSIONS.map(({ version, compatible, features, ...marker }) => {
    const parts = features.map((feature) => feature.steps![version]!);
    return {
      version,
      compatible,
      up: [...parts, marker].map(({ up }) => `${up(types)}\n`).join(""),
      down: [...parts.toReversed(), marker]
        .map(({ down }) => `${typeof down === "string" ? down : down(types)}\n`).join(""),
    };
  });
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
  down: /* @__PURE__ */ dropTables(SQLITE),
};

/**
 * The same tables for PostgreSQL.
 *
 * @example
 * ```ts
 * import { postgresSchema } from "@framework/auth/postgres";
 * import { match } from "node:assert/strict";
 *
 * match(postgresSchema.up, /expires_at BIGINT NOT NULL/);
 * ```
 */
export const postgresSchema: AuthSchema = {
  version: SCHEMA_VERSION,
  up: /* @__PURE__ */ tables(POSTGRES),
  steps: /* @__PURE__ */ steps(POSTGRES),
  down: /* @__PURE__ */ dropTables(POSTGRES),
};
