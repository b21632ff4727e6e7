import { wrongOption } from "../config/check.ts";
import { SESSION_COLUMNS, USER_COLUMNS } from "./sql_columns.ts";

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Whether the library itself reads a column of this name from a row, or writes such a field on a user. */
function isTaken(name: string): boolean {
  const taken = `${USER_COLUMNS}, ${SESSION_COLUMNS}, emailVerified`.toLowerCase().split(/\W+/);
  return taken.includes(name.toLowerCase());
}

/**
 * Checks the names of an application's own columns of `users`. They become part of statements and keys
 * of objects, so nothing else passes.
 *
 * @throws {ConfigurationError} Naming the column and what to write.
 */
export function readUserColumns(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongOption("userColumns", value, "a list of column names");
  for (const [index, name] of value.entries()) {
    const field = `userColumns[${index}]`;
    if (typeof name !== "string" || !NAME.test(name) || name in {}) {
      throw wrongOption(field, name, "the name of a column: letters, digits and underscores");
    }
    if (isTaken(name)) {
      throw wrongOption(field, name, "a column of your own; users have this one already");
    }
    if (value.indexOf(name) !== index) {
      throw wrongOption(field, name, "each column once");
    }
  }
  return value;
}
