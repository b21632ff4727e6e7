import { starterFiles } from "../templates/starter_files.ts";
import { mariadbTables } from "./auth_mariadb.ts";
import { postgresTables } from "./auth_postgres.ts";

/** Tools whose schema `authTables()` writes. */
export const SCHEMA_TOOLS = ["drizzle", "prisma"] as const;

/** Databases for which it is written; MariaDB is "mysql" to both tools. */
export const SCHEMA_DIALECTS = ["sqlite", "postgresql", "mysql"] as const;

/** A tool with schemas and migrations of its own. */
export type SchemaTool = (typeof SCHEMA_TOOLS)[number];

/** A database whose tables the tool makes. */
export type SchemaDialect = (typeof SCHEMA_DIALECTS)[number];

/** How MariaDB compares byte by byte, with spaces at the end: else two keys could be one. */
export const COLLATION = "utf8mb4_nopad_bin";

/** The same, after the type of a column. */
export const BY_BYTES: string = `CHARACTER SET utf8mb4 COLLATE ${COLLATION}`;

/** First line of whatever is printed. */
export const NOTE: string =
  "Tables of @framework/auth, by `framework generate auth --schema`: print them anew with each update of it.";

export interface Column {
  name: string;
  type: "TEXT" | "INTEGER" | "BIGINT";
  /** Characters of a text that has a limit. */
  length: number | null;
  primaryKey: boolean;
  required: boolean;
  unique: boolean;
  /** Text of SQL. */
  default: string | null;
  /** Text of SQL of which the database makes it. */
  generated: string | null;
  references: { table: string; column: string; onDelete: string } | null;
}

export interface Index {
  name: string;
  table: string;
  /** Names of columns, or text of SQL. */
  parts: string[];
}

export interface Table {
  name: string;
  columns: Column[];
  /** Names of the columns of a key of several. */
  primaryKey: string[] | null;
  uniques: string[][];
  indexes: Index[];
}

export interface Schema {
  tables: Table[];
  /** Statements that make neither a table nor an index. */
  others: string[];
}

/** Splits the library's SQL: a `;` at the end of a line ends a statement. */
export function statementsOf(sql: string): string[] {
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
  /^`?(\w+)`? (TEXT|INTEGER|BIGINT|MEDIUMTEXT|VARCHAR\((\d+)\))(?: CHARACTER SET \w+ COLLATE \w+ AS \((.+)\) VIRTUAL)?( PRIMARY KEY)?( NOT NULL)?( UNIQUE)?(?: DEFAULT (.+?))?(?: REFERENCES (\w+) \((\w+)\) ON DELETE ([A-Z ]+))?$/;

function readColumn(text: string): Column {
  const found = COLUMN.exec(text);
  // A column that is left out would only be missed at run time.
  if (found === null) throw new Error(`The column cannot be read: ${text}`);
  const [, name, type, length, generated, ...rest] = found;
  const [primaryKey, required, unique, value, table, column, onDelete] = rest;
  return {
    name: name!,
    type: type === "INTEGER" || type === "BIGINT" ? type : "TEXT",
    length: length === undefined ? null : Number(length),
    generated: generated ?? null,
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

function textOf(dialect: SchemaDialect): string {
  if (dialect === "sqlite") return starterFiles["migrations/0001_auth.sql"]!;
  return dialect === "mysql" ? mariadbTables : postgresTables;
}

/** Reads the tables of a database out of the library's SQL. */
export function readSchema(dialect: SchemaDialect): Schema {
  const schema: Schema = { tables: [], others: [] };
  for (const statement of statementsOf(textOf(dialect))) {
    const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(\n(.*)\n\)[^)]*$/s.exec(statement);
    const index = /^CREATE INDEX (?:IF NOT EXISTS )?(\w+) ON (\w+) \((.*)\)$/s.exec(statement);
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

/** Tells a column from an expression. */
export function isColumn(part: string): boolean {
  return /^\w+$/.test(part);
}

/** Writes the name of a column as one of JavaScript. */
export function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Name of a unique constraint, as the library's own migration gives it: the library knows by its name what it means.
 * MariaDB calls it by its first column.
 */
export function uniqueName(table: string, columns: string[], dialect: SchemaDialect): string {
  return dialect === "mysql" ? columns[0]! : `${table}_${columns.join("_")}_key`;
}

/** A number, or a text in double quotes; null for an expression. */
export function literalOf(value: string): string | null {
  if (/^\d+$/.test(value)) return value;
  const text = /^'([^']*)'$/.exec(value);
  return text === null ? null : JSON.stringify(text[1]);
}
