import { starterFiles } from "../templates/starter_files.ts";
import { postgresTables } from "./auth_postgres.ts";
import { authUpgrades } from "./auth_upgrades.ts";

/** Tools whose schema {@linkcode authTables} writes. */
export const SCHEMA_TOOLS = ["drizzle", "prisma"] as const;

/** Databases for which it is written. */
export const SCHEMA_DIALECTS = ["sqlite", "postgresql"] as const;

/** A tool with schemas and migrations of its own. */
export type SchemaTool = (typeof SCHEMA_TOOLS)[number];

/** A database whose tables the tool makes. */
export type SchemaDialect = (typeof SCHEMA_DIALECTS)[number];

const NOTE =
  "Tables of @framework/auth, by `framework generate auth --schema`: print them anew with each update of it.";

interface Column {
  name: string;
  type: "TEXT" | "INTEGER" | "BIGINT";
  primaryKey: boolean;
  required: boolean;
  unique: boolean;
  /** Text of SQL. */
  default: string | null;
  references: { table: string; column: string; onDelete: string } | null;
}

interface Index {
  name: string;
  table: string;
  /** Names of columns, or text of SQL. */
  parts: string[];
}

interface Table {
  name: string;
  columns: Column[];
  /** Names of the columns of a key of several. */
  primaryKey: string[] | null;
  uniques: string[][];
  indexes: Index[];
}

interface Schema {
  tables: Table[];
  /** Statements that make neither a table nor an index. */
  others: string[];
}

/** Splits the library's SQL: a `;` at the end of a line ends a statement. */
function statementsOf(sql: string): string[] {
  return sql.replaceAll(/^--.*$/gm, "").split(/;\s*\n/).map((text) => text.trim()).filter(Boolean);
}

/** Splits at the commas that are in no parentheses. */
function partsOf(list: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of list) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

const COLUMN =
  /^(\w+) (TEXT|INTEGER|BIGINT)( PRIMARY KEY)?( NOT NULL)?( UNIQUE)?(?: DEFAULT (.+?))?(?: REFERENCES (\w+) \((\w+)\) ON DELETE ([A-Z ]+))?$/;

function readColumn(text: string): Column {
  const found = COLUMN.exec(text);
  // A column that is left out would only be missed at run time.
  if (found === null) throw new Error(`The column cannot be read: ${text}`);
  const [, name, type, primaryKey, required, unique, value, table, column, onDelete] = found;
  return {
    name: name!,
    type: type as Column["type"],
    primaryKey: primaryKey !== undefined,
    required: required !== undefined,
    unique: unique !== undefined,
    default: value ?? null,
    references: table === undefined ? null : { table, column: column!, onDelete: onDelete! },
  };
}

function readTable(name: string, body: string): Table {
  const table: Table = { name, columns: [], primaryKey: null, uniques: [], indexes: [] };
  for (const part of partsOf(body)) {
    const key = /^(PRIMARY KEY|UNIQUE) \((.+)\)$/.exec(part);
    if (key === null) table.columns.push(readColumn(part));
    else if (key[1] === "UNIQUE") table.uniques.push(partsOf(key[2]!));
    else table.primaryKey = partsOf(key[2]!);
  }
  return table;
}

function readSchema(dialect: SchemaDialect): Schema {
  const sql = dialect === "sqlite" ? starterFiles["migrations/0001_auth.sql"]! : postgresTables;
  const schema: Schema = { tables: [], others: [] };
  for (const statement of statementsOf(sql)) {
    const table = /^CREATE TABLE (\w+) \(\n(.*)\n\)$/s.exec(statement);
    const index = /^CREATE INDEX (\w+) ON (\w+) \((.*)\)$/s.exec(statement);
    if (table !== null) {
      schema.tables.push(readTable(table[1]!, table[2]!));
    } else if (index !== null) {
      const owner = schema.tables.find(({ name }) => name === index[2])!;
      owner.indexes.push({ name: index[1]!, table: index[2]!, parts: partsOf(index[3]!) });
    } else {
      schema.others.push(statement);
    }
  }
  return schema;
}

function isColumn(part: string): boolean {
  return /^\w+$/.test(part);
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

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
  const later = authUpgrades.flatMap(({ up }) => statementsOf(up))
    .filter((text) => /^UPDATE (?!auth_schema )/.test(text));
  const statements = [
    ...(tool === "prisma" && dialect === "postgresql" ? defaults : []),
    ...indexes,
    ...others.flatMap(repeatable),
    ...later,
  ];
  // The row of the version last: the library takes it for the word that the tables are complete.
  const marker = statements.filter((text) => / auth_schema /.test(text));
  const ordered = [...statements.filter((text) => !marker.includes(text)), ...marker];
  const between = tool === "drizzle" ? ";\n--> statement-breakpoint\n" : ";\n";
  return `-- ${NOTE}\n${ordered.join(between)};`;
}

/** Turns a statement for an empty database into those for any. */
function repeatable(statement: string): string[] {
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
  return [
    `INSERT INTO auth_schema (${columns})\n` +
    `SELECT ${values} WHERE NOT EXISTS (SELECT 1 FROM auth_schema)`,
    `UPDATE auth_schema SET version = ${version}, compatible = ${compatible} ` +
    `WHERE version < ${version}`,
  ];
}

/** Writes the tables of `@framework/auth` as a schema of the tool. */
export function authTables(tool: SchemaTool, dialect: SchemaDialect): string {
  const { tables } = readSchema(dialect);
  return tool === "drizzle" ? drizzleSchema(tables, dialect) : prismaSchema(tables, dialect);
}

function drizzleSchema(tables: Table[], dialect: SchemaDialect): string {
  const postgres = dialect === "postgresql";
  const make = postgres ? "pgTable" : "sqliteTable";
  const names = [
    ...["foreignKey", "index", "primaryKey", "text", "unique"],
    ...[postgres ? "bigint" : "integer", make],
  ].sort();
  return `// ${NOTE}
import { sql } from "drizzle-orm";
import { ${names.join(", ")} } from "drizzle-orm/${postgres ? "pg" : "sqlite"}-core";

${tables.map((table) => drizzleTable(table, make)).join("\n\n")}`;
}

function drizzleTable(table: Table, make: string): string {
  const { name, columns, primaryKey, uniques, indexes } = table;
  const fields = columns.map((column) => `  ${camelCase(column.name)}: ${drizzleColumn(column)},`);
  const list = (names: string[]) => names.map((one) => `table.${camelCase(one)}`).join(", ");
  // The names that the library's own migration gives: it knows what a constraint means by its name.
  const extras = [
    ...(primaryKey === null
      ? []
      : [`primaryKey({ name: "${name}_pkey", columns: [${list(primaryKey)}] })`]),
    ...columns.filter(({ unique }) => unique).map((column) => drizzleUnique([column.name])),
    ...uniques.map(drizzleUnique),
    ...columns.flatMap((column) => column.references === null ? [] : [drizzleReference(column)]),
    ...indexes.map((index) =>
      `index("${index.name}").on(${index.parts.map(drizzlePart).join(", ")})`
    ),
  ];

  function drizzleUnique(names: string[]): string {
    return `unique("${name}_${names.join("_")}_key").on(${list(names)})`;
  }

  function drizzleReference({ name: column, references }: Column): string {
    const { table: other, column: otherColumn, onDelete } = references!;
    const foreign = `${camelCase(other)}.${camelCase(otherColumn)}`;
    return `foreignKey({
    name: "${name}_${column}_fkey",
    columns: [table.${camelCase(column)}],
    foreignColumns: [${foreign}],
  }).onDelete("${onDelete.toLowerCase()}")`;
  }

  const last = extras.length === 0
    ? "}"
    : `}, (table) => [\n${extras.map((extra) => `  ${extra},\n`).join("")}]`;
  return `export const ${camelCase(name)} = ${make}("${name}", {\n${fields.join("\n")}\n${last});`;
}

function drizzlePart(part: string): string {
  return isColumn(part) ? `table.${camelCase(part)}` : `sql\`${part}\``;
}

function drizzleColumn({ name, type, primaryKey, required, default: value }: Column): string {
  const made = {
    TEXT: `text("${name}")`,
    INTEGER: `integer("${name}")`,
    BIGINT: `bigint("${name}", { mode: "number" })`,
  }[type];
  // A key is never null.
  const kind = primaryKey ? ".primaryKey()" : required ? ".notNull()" : "";
  return `${made}${kind}${value === null ? "" : `.default(${drizzleDefault(value)})`}`;
}

function drizzleDefault(value: string): string {
  const literal = literalOf(value);
  return literal === null ? `sql\`${value}\`` : literal;
}

/** A number, or a text in double quotes; null for an expression. */
function literalOf(value: string): string | null {
  if (/^\d+$/.test(value)) return value;
  const text = /^'([^']*)'$/.exec(value);
  return text === null ? null : JSON.stringify(text[1]);
}

/** The name of a model: the table's in the singular. */
function modelName(table: string): string {
  const one = table.replace(/ies$/, "y").replace(/(sh|ch|x)es$/, "$1").replace(/s$/, "");
  return camelCase(`_${one}`);
}

interface Relation {
  /** Of the table that refers. */
  table: Table;
  column: Column;
  name: string;
}

function prismaSchema(tables: Table[], dialect: SchemaDialect): string {
  const relations = tables.flatMap((table) =>
    table.columns.filter(({ references }) => references !== null).map((column): Relation => ({
      ...{ table, column },
      name: `${table.name}_${column.name}`,
    }))
  );
  return `// ${NOTE}

${tables.map((table) => prismaModel(table, { relations, dialect })).join("\n\n")}`;
}

function prismaModel(
  table: Table,
  { relations, dialect }: { relations: Relation[]; dialect: SchemaDialect },
): string {
  const { name, columns, primaryKey, uniques, indexes } = table;
  const list = (names: string[]) => names.map(camelCase).join(", ");
  const lines = [
    ...columns.map((column) => prismaColumn(column, dialect)),
    ...relations.filter((relation) => relation.table === table).map(prismaRelation),
    ...relations.filter(({ column }) => column.references!.table === name).map(prismaList),
    ...(primaryKey === null ? [] : [`@@id([${list(primaryKey)}])`]),
    ...uniques.map((names) => `@@unique([${list(names)}])`),
    ...indexes.flatMap(prismaIndex),
    `@@map("${name}")`,
  ];
  return `model ${modelName(name)} {\n${lines.map((line) => `  ${line}\n`).join("")}}`;
}

/**
 * An index as far as Prisma knows it. It sees one of a column whatever its collation, and would drop it; those of
 * expressions it does not see.
 */
function prismaIndex({ name, parts }: Index): string[] {
  const columns = parts.map((part) => part.replace(/ COLLATE "C"$/, ""));
  if (!columns.every(isColumn)) return [];
  return [`@@index([${columns.map(camelCase).join(", ")}], map: "${name}")`];
}

function prismaColumn(column: Column, dialect: SchemaDialect): string {
  const { name, type, primaryKey, required, unique, default: value } = column;
  const field = camelCase(name);
  return [
    `${field} ${type === "TEXT" ? "String" : "BigInt"}${required ? "" : "?"}`,
    ...(primaryKey ? ["@id"] : []),
    ...(unique ? ["@unique"] : []),
    ...(value === null ? [] : prismaDefault(value, dialect)),
    ...(field === name ? [] : [`@map("${name}")`]),
  ].join(" ");
}

/**
 * The default of a column. Of an expression Prisma reads another text than it wrote, and would change the column in each
 * migration: PostgreSQL is given it by {@linkcode authStatements}. SQLite can add none; the library writes the column.
 */
function prismaDefault(value: string, dialect: SchemaDialect): string[] {
  const literal = literalOf(value);
  if (literal !== null) return [`@default(${literal})`];
  return dialect === "sqlite" ? [] : ["@default(dbgenerated())"];
}

const ON_DELETE: Record<string, string> = { "CASCADE": "Cascade", "SET NULL": "SetNull" };

function prismaRelation({ column, name }: Relation): string {
  const { table, column: key, onDelete } = column.references!;
  const field = camelCase(
    /_id$/.test(column.name) ? column.name.slice(0, -3) : `${column.name}_user`,
  );
  return `${field} ${modelName(table)}${column.required ? "" : "?"} @relation("${name}", ` +
    `fields: [${camelCase(column.name)}], references: [${camelCase(key)}], ` +
    `onDelete: ${ON_DELETE[onDelete]}, onUpdate: NoAction)`;
}

/** The other side of a relation, which Prisma requires. */
function prismaList({ column, name, table }: Relation): string {
  const field = camelCase(/_id$/.test(column.name) ? table.name : `${table.name}_${column.name}`);
  return `${field} ${modelName(table.name)}${column.primaryKey ? "?" : "[]"} @relation("${name}")`;
}
