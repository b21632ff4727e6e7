import { drizzleSchema } from "./auth_drizzle.ts";
import { prismaSchema } from "./auth_prisma.ts";
import {
  BY_BYTES,
  COLLATION,
  isColumn,
  literalOf,
  NOTE,
  readSchema,
  type SchemaDialect,
  type SchemaTool,
  statementsOf,
  type Table,
} from "./auth_tables.ts";
import { authUpgrades } from "./auth_upgrades.ts";

export {
  SCHEMA_DIALECTS,
  SCHEMA_TOOLS,
  type SchemaDialect,
  type SchemaTool,
} from "./auth_tables.ts";

/** Writes the statements that no schema of the tool expresses. They may run again, after each upgrade. */
export function authStatements(tool: SchemaTool, dialect: SchemaDialect): string {
  const { tables, others } = readSchema(dialect);
  const defaults = tables.flatMap(({ name, columns }) =>
    columns.filter((column) => column.default !== null && literalOf(column.default) === null)
      .map((column) =>
        `ALTER TABLE ${name} ALTER COLUMN ${column.name} SET DEFAULT ${column.default}`
      )
  );
  // Prisma knows neither expressions nor collations in an index.
  const indexes = tables.flatMap((table) => table.indexes)
    .filter(({ parts }) => tool === "prisma" && !parts.every(isColumn))
    .flatMap(({ name, table, parts }) => [
      `DROP INDEX IF EXISTS ${name}`,
      `CREATE INDEX ${name} ON ${table} (${parts.join(", ")})`,
    ]);
  // The tables of MariaDB begin with the version of the present ones.
  const later = dialect === "mysql" ? [] : authUpgrades.flatMap(({ up }) => statementsOf(up))
    .filter((text) => /^UPDATE (?!auth_schema )/.test(text));
  const statements = [
    ...(tool === "prisma" && dialect === "mysql" ? [comparison(tables)] : []),
    ...(tool === "prisma" ? tables.flatMap(generated) : []),
    ...(tool === "prisma" && dialect !== "sqlite" ? defaults : []),
    ...indexes,
    ...others.flatMap((statement) => repeatable(statement, dialect)),
    ...later,
  ];
  // The row of the version last: the library takes it for the word that the tables are complete.
  const marker = statements.filter((text) => /^(?:INSERT INTO|UPDATE) auth_schema /.test(text));
  const ordered = [...statements.filter((text) => !marker.includes(text)), ...marker];
  const between = tool === "drizzle" ? ";\n--> statement-breakpoint\n" : ";\n";
  return `-- ${NOTE}\n${ordered.join(between)};`;
}

/**
 * Refuses tables of MariaDB whose texts are compared as Prisma would have it, in which two keys could be one. No
 * statement could mend them: what a key refers to cannot be changed.
 */
function comparison(tables: Table[]): string {
  const names = tables.map(({ name }) => `'${name}'`).join(", ");
  return "BEGIN NOT ATOMIC IF EXISTS (SELECT 1 FROM information_schema.COLUMNS " +
    `WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${names}) AND COLLATION_NAME <> '${COLLATION}') ` +
    `THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Write ${COLLATION} in the place of utf8mb4_unicode_ci ` +
    "where the migration makes the tables'; END IF; END";
}

/** Makes the columns that MariaDB fills, for which Prisma has no words. */
function generated(table: Table): string[] {
  return table.columns.filter((column) => column.generated !== null).map((column) => {
    const indexes = table.indexes.filter(({ parts }) => parts.includes(column.name));
    return [
      `ALTER TABLE ${table.name}`,
      ...indexes.map(({ name }) => `DROP INDEX IF EXISTS ${name},`),
      `DROP COLUMN IF EXISTS ${column.name},`,
      `ADD COLUMN ${column.name} VARCHAR(${column.length}) ${BY_BYTES} AS (${column.generated}) VIRTUAL`,
    ].join(" ") +
      indexes.map(({ name, parts }) => `, ADD INDEX ${name} (${parts.join(", ")})`).join("");
  });
}

/** Turns a statement for an empty database into those for any. */
function repeatable(statement: string, dialect: SchemaDialect): string[] {
  if (dialect === "mysql" && /^CREATE TRIGGER /.test(statement)) {
    return [statement.replace("TRIGGER IF NOT EXISTS", "OR REPLACE TRIGGER")];
  }
  const trigger = /^CREATE TRIGGER (\w+) AFTER .*? ON (\w+) (FOR EACH ROW)?/s.exec(statement);
  if (trigger !== null) {
    const [, name, table, postgres] = trigger;
    const of = postgres === undefined ? "" : ` ON ${table}`;
    return [`DROP TRIGGER IF EXISTS ${name}${of}`, statement];
  }
  const marker = /^INSERT INTO auth_schema \((.+?)\)\s+VALUES \(((\d+), (\d+), .+)\)$/s
    .exec(statement);
  if (marker === null) return [statement];
  const [, columns, values, version, compatible] = marker;
  const from = dialect === "mysql" ? " FROM DUAL" : "";
  return [
    `INSERT INTO auth_schema (${columns})\n` +
    `SELECT ${values}${from} WHERE NOT EXISTS (SELECT 1 FROM auth_schema)`,
    `UPDATE auth_schema SET version = ${version}, compatible = ${compatible} ` +
    `WHERE version < ${version}`,
  ];
}

/** Writes the tables of `@framework/auth` as a schema of the tool. */
export function authTables(tool: SchemaTool, dialect: SchemaDialect): string {
  const { tables } = readSchema(dialect);
  return tool === "drizzle" ? drizzleSchema(tables, dialect) : prismaSchema(tables, dialect);
}
