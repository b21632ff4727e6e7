import type { SqlValue } from "./sql_database.ts";

/** The fields of a record that is one row of a table, each with what its column may hold. */
export type Fields<Entry> = { readonly [Field in keyof Entry]-?: (value: unknown) => boolean };

/** The column of a field: `userId` is in `user_id`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of fields, as they stand in a statement. */
export function columnsOf(fields: object): string {
  return Object.keys(fields).map(columnOf).join(", ");
}

/** The values of a record, in the order of {@linkcode columnsOf}. */
export function valuesOf<Entry>(fields: Fields<Entry>, entry: Entry): SqlValue[] {
  return Object.keys(fields).map((field) => entry[field as keyof Entry] as SqlValue);
}
