import {
  camelCase,
  type Column,
  type Index,
  isColumn,
  literalOf,
  NOTE,
  type SchemaDialect,
  type Table,
  uniqueName,
} from "./auth_tables.ts";

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

/** Writes the tables as models of Prisma. */
export function prismaSchema(tables: Table[], dialect: SchemaDialect): string {
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
    ...columns.map((column) => prismaColumn(table, column, dialect)),
    ...relations.filter((relation) => relation.table === table).map(prismaRelation),
    ...relations.filter(({ column }) => column.references!.table === name).map(prismaList),
    ...(primaryKey === null ? [] : [`@@id([${list(primaryKey)}])`]),
    ...uniques.map((names) =>
      `@@unique([${list(names)}]${prismaMap(uniqueName(name, names, dialect), dialect)})`
    ),
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

/** Name of a constraint that Prisma would name otherwise. */
function prismaMap(name: string, dialect: SchemaDialect): string {
  return dialect === "mysql" ? `, map: "${name}"` : "";
}

function prismaColumn(table: Table, column: Column, dialect: SchemaDialect): string {
  const { name, type, length, primaryKey, required, unique, default: value, generated } = column;
  const field = camelCase(name);
  const key = prismaMap(uniqueName(table.name, [name], dialect), dialect).replace(", ", "");
  const native = length === null ? "@db.MediumText" : `@db.VarChar(${length})`;
  return [
    `${field} ${type === "TEXT" ? "String" : "BigInt"}${required ? "" : "?"}`,
    ...(primaryKey ? ["@id"] : []),
    ...(unique ? [key === "" ? "@unique" : `@unique(${key})`] : []),
    ...(value === null ? [] : prismaDefault(value, dialect)),
    ...(field === name ? [] : [`@map("${name}")`]),
    ...(dialect === "mysql" && type === "TEXT" ? [native] : []),
    // It would be written by Prisma's client, which the database refuses.
    ...(generated === null ? [] : ["@ignore"]),
  ].join(" ");
}

/**
 * The default of a column. Of an expression Prisma reads another text than it wrote, and would change the column in each
 * migration: PostgreSQL is given it by `authStatements()`. SQLite can add none; the library writes the column.
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
