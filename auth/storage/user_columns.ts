import { wrongOption } from "../config/check.ts";

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
// What the library itself reads from a row, or writes on a user.
const TAKEN: ReadonlySet<string> = new Set([
  "id",
  "email",
  "name",
  "image",
  "email_verified",
  "emailverified",
  "role",
  "roles",
  "session_id",
  "created_at",
  "authenticated_at",
  "refreshed_at",
  "expires_at",
]);

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
    if (TAKEN.has(name.toLowerCase())) {
      throw wrongOption(field, name, "a column of your own; users have this one already");
    }
    if (value.indexOf(name) !== index) {
      throw wrongOption(field, name, "each column once");
    }
  }
  return value;
}
