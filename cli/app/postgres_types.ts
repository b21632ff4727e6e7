import type { PostgresConnection } from "../migrate/postgres.ts";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { propertyName } from "./env_types.ts";

/** File beside the migrations with the types of the tables, which is committed with them. */
const TABLES_FILE = "tables.ts";

const HEADER =
  "// Written by `framework migrate` from the tables of the local database. Commit it.";

/** A column as PostgreSQL describes it. */
interface Column {
  table: string;
  name: string;
  /** Name of the type; that of an array begins with an underscore. */
  type: string;
  /** Values of an enumeration, or of one's array; null for other types. */
  labels: string[] | null;
  nullable: boolean;
  /** True when the database gives a value to a row that has none. */
  given: boolean;
  /** True when nobody else may write it. */
  always: boolean;
}

const COLUMNS = `SELECT c.table_name AS table, c.column_name AS name, c.udt_name AS type,
  (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
    JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE n.nspname = c.udt_schema AND t.typname = ltrim(c.udt_name, '_')) AS labels,
  c.is_nullable = 'YES' AS nullable,
  c.column_default IS NOT NULL OR c.is_identity = 'YES' AS given,
  t.table_type = 'VIEW' OR c.is_generated = 'ALWAYS' OR coalesce(c.identity_generation = 'ALWAYS', false) AS always
FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = current_schema() AND c.table_name NOT LIKE 'framework\_%'
ORDER BY c.table_name COLLATE "C", c.ordinal_position`;

/**
 * Writes the types of the tables into the folder of the migrations.
 *
 * @param connection The database, with all migrations that are to be known.
 * @param folder Absolute path of the migrations.
 */
export async function writeTableTypes(
  connection: PostgresConnection,
  folder: string,
): Promise<void> {
  const { rows } = await connection.query(COLUMNS);
  const tables = Map.groupBy(rows as Column[], ({ table }) => table);
  const members = [...tables].flatMap(([name, columns]) => [
    `  ${propertyName(name)}: {`,
    ...columns.map((column) => `    ${propertyName(column.name)}: ${columnType(column)};`),
    "  };",
  ]);
  const used = ["ColumnType", "Generated"]
    .filter((name) => members.some((line) => line.includes(`${name}<`)));
  const text = [
    HEADER,
    ...used.length === 0 ? [] : [`import type { ${used.join(", ")} } from "kysely";`],
    "",
    "/** Tables and views of the migrations. */",
    "export interface Tables {",
    ...members,
    "}",
    "",
  ].join("\n");
  const file = join(folder, TABLES_FILE);
  if (await readFile(file, "utf8").catch(() => null) === text) return;
  await mkdir(folder, { recursive: true });
  await writeFile(file, text);
}

/**
 * Returns the members that {@linkcode writeTableTypes} has written; nothing before it has.
 *
 * @param folder Absolute path of the migrations.
 */
export async function readTableTypes(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, TABLES_FILE), "utf8").catch(() => "");
  const lines = text.split(/\r?\n/);
  return lines.slice(lines.indexOf("export interface Tables {") + 1, lines.lastIndexOf("}"));
}

function columnType(column: Column): string {
  const isArray = column.type.startsWith("_");
  const [one, written] = valueType(column);
  const listed = (type: string): string => isArray ? `Array<${type}>` : type;
  const nothing = column.nullable && one !== "unknown" ? " | null" : "";
  const value = `${listed(one)}${nothing}`;
  if (column.always) return `ColumnType<${value}, never, never>`;
  if (one === written) return column.given && !column.nullable ? `Generated<${value}>` : value;
  const update = `${listed(written)}${nothing}`;
  const insert = column.given || column.nullable ? `${update} | undefined` : update;
  return `ColumnType<${value}, ${insert}, ${update}>`;
}

/** Types in which `pg` gives a value, and takes one. What it parses no further is text. */
function valueType({ type, labels }: Column): [given: string, taken: string] {
  if (labels !== null) {
    const union = labels.map((label) => JSON.stringify(label)).join(" | ");
    return [union, union];
  }
  const given = TYPES[type.replace(/^_/, "")] ?? "unknown";
  return typeof given === "string" ? [given, given] : given;
}

const DATE: [string, string] = ["Date", "Date | string"];
const TYPES: Record<string, string | [string, string]> = {
  bool: "boolean",
  bytea: "Uint8Array",
  date: DATE,
  float4: "number",
  float8: "number",
  int2: "number",
  int4: "number",
  // More than a number can hold.
  int8: ["string", "string | number | bigint"],
  numeric: ["string", "string | number"],
  oid: "number",
  timestamp: DATE,
  timestamptz: DATE,
  ...Object.fromEntries(
    [
      "bpchar",
      "cidr",
      "citext",
      "inet",
      "macaddr",
      "name",
      "text",
      "time",
      "timetz",
      "uuid",
      "varchar",
      "xml",
    ]
      .map((name) => [name, "string"]),
  ),
};
