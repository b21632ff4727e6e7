import {
  BY_BYTES,
  camelCase,
  type Column,
  isColumn,
  literalOf,
  NOTE,
  type SchemaDialect,
  type Table,
  uniqueName,
} from "./auth_tables.ts";

/** Differences of Drizzle's modules for the databases. */
const MODULES: Record<SchemaDialect, { core: string; make: string; types: string[] }> = {
  sqlite: { core: "sqlite", make: "sqliteTable", types: ["integer", "text"] },
  postgresql: { core: "pg", make: "pgTable", types: ["bigint", "text"] },
  mysql: { core: "mysql", make: "mysqlTable", types: ["bigint", "customType"] },
};

// Drizzle's own columns have the collation of the database, in which two keys may be equal.
const TEXT_OF_MARIADB = `
const text = customType<{ data: string; config: { length: number } }>({
  dataType: (config) =>
    (config === undefined ? "MEDIUMTEXT" : \`VARCHAR(\${config.length})\`) +
    " ${BY_BYTES}",
});
`;

/** Writes the tables as a module of Drizzle. */
export function drizzleSchema(tables: Table[], dialect: SchemaDialect): string {
  const { core, make, types } = MODULES[dialect];
  const names = ["foreignKey", "index", "primaryKey", "unique", make, ...types].sort();
  return `// ${NOTE}
import { sql } from "drizzle-orm";
import { ${names.join(", ")} } from "drizzle-orm/${core}-core";
${dialect === "mysql" ? TEXT_OF_MARIADB : ""}
${tables.map((table) => drizzleTable(table, dialect)).join("\n\n")}`;
}

function drizzleTable(table: Table, dialect: SchemaDialect): string {
  const { make } = MODULES[dialect];
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
    return `unique("${uniqueName(name, names, dialect)}").on(${list(names)})`;
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

function drizzleColumn(column: Column): string {
  const { name, type, length, primaryKey, required, default: value, generated } = column;
  const made = {
    TEXT: `text("${name}"${length === null ? "" : `, { length: ${length} }`})`,
    INTEGER: `integer("${name}")`,
    BIGINT: `bigint("${name}", { mode: "number" })`,
  }[type];
  // A key is never null.
  const kind = primaryKey ? ".primaryKey()" : required ? ".notNull()" : "";
  const source = generated === null
    ? ""
    : `.generatedAlwaysAs(sql\`${generated}\`, { mode: "virtual" })`;
  return `${made}${kind}${value === null ? "" : `.default(${drizzleDefault(value)})`}${source}`;
}

function drizzleDefault(value: string): string {
  const literal = literalOf(value);
  return literal === null ? `sql\`${value}\`` : literal;
}
