/**
 * The tables for MariaDB, made of those of the other databases.
 *
 * @module
 */

import { dropTables, steps, tables } from "./schema.ts";
import type { AuthSchema, SchemaStep } from "./sql_database.ts";
import type { SchemaTypes } from "./tables.ts";
import { SCHEMA_VERSION } from "./sql_executor.ts";

/** SQLSTATE of the refusal to make the tables; its message is the name that is taken. */
export const NAME_TAKEN = "45A01";

// By its code points, as every other database of the library compares texts, and with spaces at the end.
const TEXT = "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";

/** Statements of the trigger: what is no list of texts is none, as for whoever reads it. */
const WRITE_ROLES =
  `INSERT INTO user_roles (role, user_id) SELECT NEW.role, NEW.id FROM DUAL WHERE NEW.role IS NOT NULL \
UNION SELECT listed.role, NEW.id FROM JSON_TABLE(IF(JSON_VALID(NEW.roles), NEW.roles, '[]'), '$[*]' \
COLUMNS (role VARCHAR(255) ${TEXT} PATH '$')) AS listed WHERE listed.role IS NOT NULL;`;

const MARIADB: SchemaTypes = {
  integer: "BIGINT",
  now: "(CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED))",
  randomKey: "LOWER(HEX(RANDOM_BYTES(32)))",
  byBytes: "",
  rolesTrigger: `CREATE TRIGGER user_roles_of_new AFTER INSERT ON users FOR EACH ROW ${WRITE_ROLES}
CREATE TRIGGER user_roles_of_known AFTER UPDATE ON users FOR EACH ROW \
IF NOT (OLD.role <=> NEW.role AND OLD.roles <=> NEW.roles) THEN \
DELETE FROM user_roles WHERE user_id = NEW.id; ${WRITE_ROLES} END IF;`,
  noRolesTrigger: `DROP TRIGGER IF EXISTS user_roles_of_known;
DROP TRIGGER IF EXISTS user_roles_of_new;`,
};

/** The name as `foldName()` writes it: A to Z alone, where LOWER() would fold all letters. */
function foldedName(): string {
  let folded = "LEFT(name, 256)";
  for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
    folded = `REPLACE(${folded}, '${letter}', '${letter.toLowerCase()}')`;
  }
  return `name_folded VARCHAR(256) ${TEXT} AS (${folded}) VIRTUAL`;
}

/** Columns of a table that a key or an index names: those have a length. */
function keysOf(table: string, columns: string, all: string): Set<string> {
  const found = new Set<string>();
  for (
    const [, column] of columns.matchAll(/^ {2}(\w+) TEXT.*(?:PRIMARY KEY|UNIQUE|REFERENCES)/gm)
  ) {
    found.add(column!);
  }
  const lists = [
    ...columns.matchAll(/^ {2}(?:PRIMARY KEY|UNIQUE) \((.*)\)/gm),
    ...all.matchAll(new RegExp(`^CREATE INDEX \\w+ ON ${table} \\((.*)\\);`, "gm")),
  ];
  for (const [, list] of lists) for (const column of list!.split(", ")) found.add(column);
  return found;
}

/**
 * The statement that refuses a database in which an application has a table of one of these names. The first table that
 * is made tells those that somebody has begun to make, and did not end.
 */
function refusal(made: string): string {
  const [first, ...others] = [...made.matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)/gm)].map((
    [, name],
  ) => `'${name}'`);
  const found = "FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME";
  return `BEGIN NOT ATOMIC DECLARE taken VARCHAR(64) DEFAULT (SELECT MIN(TABLE_NAME) ${found} IN (${
    others.join(", ")
  })); \
IF taken IS NOT NULL AND NOT EXISTS (SELECT 1 ${found} = ${first}) THEN \
SIGNAL SQLSTATE '${NAME_TAKEN}' SET MESSAGE_TEXT = taken; END IF; END;\n\n`;
}

/**
 * The type of a text that is a key. An index holds 3,072 bytes, which are 768 characters: the id of a passkey may have more
 * (1,364, as 1,023 bytes of Web Authentication Level 3, 4), which no authenticator that is known makes.
 */
function keyType(table: string, column: string): string {
  if (table === "passkeys" && column === "id") return "VARCHAR(768)";
  return `VARCHAR(${column === "key" ? 512 : 255})`;
}

/** Writes the tables as MariaDB has them. Each statement may run again, since one of several that fails undoes none. */
function toMariadb(sql: string): string {
  const made = sql.replace(/^CREATE TABLE (\w+) \(\n([\s\S]*?)\n\);/gm, (_, table, columns) => {
    const keys = keysOf(table, columns, sql);
    const typed = columns.replace(
      /^ {2}(\w+) TEXT/gm,
      (_: string, column: string) =>
        `  \`${column}\` ${keys.has(column) ? keyType(table, column) : "MEDIUMTEXT"}`,
    ).replace(/^ {2}([a-z]\w*) /gm, "  `$1` ");
    const folded = table === "users" ? `,\n  ${foldedName()}` : "";
    return `CREATE TABLE IF NOT EXISTS ${table} (\n${typed}${folded}\n) ENGINE=InnoDB ${TEXT};`;
  });
  return refusal(made) + made
    .replace("((lower(name)), id)", "(name_folded, id)")
    .replace("compatible, key)", "compatible, `key`)")
    .replace(/^CREATE (INDEX|TRIGGER) /gm, "CREATE $1 IF NOT EXISTS ");
}

// The version of the tables with which MariaDB began.
const FIRST_VERSION = 5;

function mariadbSteps(): SchemaStep[] {
  return steps(MARIADB).filter(({ version }) => version > FIRST_VERSION)
    .map((step) => ({ ...step, up: toMariadb(step.up) }));
}

/**
 * The same tables for MariaDB. Each of its statements commits what is before it, so `auth.migrate()` makes them: called
 * again after a crash in their middle it goes on.
 *
 * @example
 * ```ts
 * import { mariadbSchema } from "@framework/auth/mariadb";
 * import { match } from "node:assert/strict";
 *
 * match(mariadbSchema.up, /COLLATE utf8mb4_nopad_bin/);
 * ```
 */
export const mariadbSchema: AuthSchema = {
  version: SCHEMA_VERSION,
  // Pure, so that a bundle which does not use the text leaves it out.
  up: /* @__PURE__ */ toMariadb(/* @__PURE__ */ tables(MARIADB)),
  steps: /* @__PURE__ */ mariadbSteps(),
  down: /* @__PURE__ */ dropTables(MARIADB),
};
