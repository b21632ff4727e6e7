import type { ColumnType } from "kysely";

/**
 * JSON text of a value of the type `T`, as a column of the database holds it: {@linkcode toJson}
 * makes it, {@linkcode parseJson} reads it. The property tells the types apart; no text has it.
 */
export type Json<T> = string & { readonly __json: T };

/**
 * Returns the JSON text of a value, for a column that is declared as `Json<T>`.
 *
 * @param value Value that JSON can hold: dates become texts, and `undefined` is left out.
 * @throws {TypeError} When the value contains itself or a `bigint`, or is `undefined` or a function.
 * @example
 * ```ts
 * import { type Json, parseJson, toJson } from "@framework/cli/runtime";
 * import { deepEqual } from "node:assert/strict";
 *
 * const labels: Json<string[]> = toJson(["bug", "urgent"]);
 * deepEqual(parseJson(labels), ["bug", "urgent"]);
 * ```
 */
export function toJson<T>(value: T): Json<T> {
  const text = JSON.stringify(value);
  if (text !== undefined) return text as Json<T>;
  throw new TypeError(`toJson() was given ${typeof value}, for which JSON has no text.`);
}

/**
 * Returns the value of a column that is declared as `Json<T>`. Its type is what the declaration says:
 * rows that something else has written are not checked.
 *
 * @param text JSON text.
 * @throws {SyntaxError} When the column has something other than JSON.
 * @example
 * ```ts
 * import { parseJson, toJson } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 *
 * equal(parseJson(toJson({ width: 3 })).width, 3);
 * ```
 */
export function parseJson<T>(text: Json<T>): T {
  return JSON.parse(text);
}

/** Tables of the migrations, with the types that the application declares for some columns. */
export type DeclaredTables<Tables, Columns> = {
  [Table in keyof Tables]: Table extends keyof Columns ? {
      [Column in keyof Tables[Table]]: Column extends keyof Columns[Table]
        ? DeclaredColumn<Tables[Table][Column], Columns[Table][Column]>
        : Tables[Table][Column];
    }
    : Tables[Table];
};

/** A column with another type of its values: NULL, defaults and what can be written stay. */
export type DeclaredColumn<Column, Value> = Column extends
  ColumnType<infer Read, infer Insert, infer Update> ? ColumnType<
    DeclaredValue<Read, Value>,
    DeclaredValue<Insert, Value>,
    DeclaredValue<Update, Value>
  >
  : DeclaredValue<Column, Value>;

/** A declared type in place of the values that SQLite gives, beside what stands for their absence. */
export type DeclaredValue<Known, Value> = [Known] extends [never] ? never
  : Value | (unknown extends Known ? never : Extract<Known, null | undefined>);

/**
 * Constraint of the declared columns: a table or a column that the migrations do not have, and a type that
 * is no part of the column's own, do not fit.
 */
export type ColumnsOf<Tables, Columns> = {
  [Table in keyof Columns]: Table extends keyof Tables ? {
      [Column in keyof Columns[Table]]: Column extends keyof Tables[Table]
        ? ValueOf<Tables[Table][Column]>
        : "The migrations have no such column.";
    }
    : "The migrations have no such table.";
};

/** Values of a column as it is read, without NULL. */
export type ValueOf<Column> = NonNullable<
  Column extends ColumnType<infer Read, infer _Insert, infer _Update> ? Read : Column
>;
