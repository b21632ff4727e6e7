import type { DatabaseSync } from "node:sqlite";
import type { Migration } from "../migrate/files.ts";
import { openMemoryDatabase } from "../migrate/local_database.ts";
import { checkedStatements } from "../migrate/statements.ts";
import { runStatements } from "../migrate/transaction.ts";
import { propertyName } from "./env_types.ts";

/** A column as SQLite describes it. */
interface Column {
  name: string;
  /** Declared type, in any case; empty for none. */
  type: string;
  isRequired: 0 | 1;
  /** Text of the default; null without one. */
  fallback: string | null;
  /** Position in the primary key from 1; 0 for other columns. */
  pk: number;
  /** 0 ordinary, 1 of a virtual table's own, 2 and 3 generated. */
  hidden: number;
}

const HINT = "The types of the database are made from the migrations. Correct the file.";

/**
 * Returns the tables that the migrations make as members of an interface for `Kysely<Database>`:
 * SQLite is asked after it has applied them, so that nothing of its language is parsed here. Tables
 * that it keeps for itself are left out.
 *
 * @param migrations The files, in order.
 * @throws {CliError} Exit code 1; names file, line and statement.
 */
export async function databaseMembers(migrations: readonly Migration[]): Promise<string[]> {
  // Without `using`, which Node 22 does not know.
  const database = await openMemoryDatabase();
  try {
    for (const file of migrations) {
      runStatements(database, file.name, checkedStatements(file), HINT);
    }
    const tables = database.prepare(
      "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' " +
        "AND name NOT GLOB 'sqlite_*' ORDER BY name",
    ).all() as { name: string; type: string }[];
    return tables.flatMap(({ name, type }) => [
      `  ${propertyName(name)}: {`,
      ...columnsOf(database, name)
        .map((column) =>
          `    ${propertyName(column.name)}: ${columnType(column, type === "view")};`
        ),
      "  };",
    ]);
  } finally {
    database.close();
  }
}

function columnsOf(database: DatabaseSync, table: string): Column[] {
  const columns = database.prepare(
    'SELECT name, type, "notnull" AS isRequired, dflt_value AS fallback, pk, hidden ' +
      "FROM pragma_table_xinfo(?) WHERE hidden <> 1",
  ).all(table) as unknown as Column[];
  const keys = columns.filter(({ pk }) => pk > 0);
  // The sole key of type INTEGER is the number of the row, which SQLite gives.
  return columns.map((column) =>
    keys.length === 1 && column.pk === 1 && /^integer$/i.test(column.type)
      ? { ...column, fallback: "rowid" }
      : column
  );
}

function columnType(column: Column, isView: boolean): string {
  const { type, isRequired, fallback, pk, hidden } = column;
  // SQLite allows NULL in a key that is not declared NOT NULL, which nobody means.
  const isNullable = isRequired === 0 && pk === 0;
  const given = valueType(type);
  const value = isNullable && given !== "unknown" ? `${given} | null` : given;
  if (isView) return `ColumnType<${value}, never, never>`;
  if (hidden > 0) return `GeneratedAlways<${value}>`;
  if (/blob/i.test(type)) return blobType(isNullable, fallback !== null);
  return fallback === null || isNullable ? value : `Generated<${value}>`;
}

/**
 * Returns the type in which D1 gives a column's values, by the rules of SQLite's affinity
 * (sqlite.org/datatype3.html, 3.1). Dates are what the application stores; text in a column without
 * a declared type is not known.
 */
function valueType(declared: string): string {
  if (/int|bool/i.test(declared)) return "number";
  if (/char|clob|text|json|uuid/i.test(declared)) return "string";
  if (/blob/i.test(declared)) return "number[]";
  if (/real|floa|doub|num|dec/i.test(declared)) return "number";
  if (/date|time/i.test(declared)) return "string | number";
  return "unknown";
}

/** D1 takes bytes and gives a list of numbers. */
function blobType(isNullable: boolean, hasDefault: boolean): string {
  const nothing = isNullable ? " | null" : "";
  const update = `ArrayBuffer | ArrayBufferView | number[]${nothing}`;
  const insert = isNullable || hasDefault ? `${update} | undefined` : update;
  return `ColumnType<number[]${nothing}, ${insert}, ${update}>`;
}
