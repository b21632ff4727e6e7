/**
 * Parts of the SQL storage, from which each group of operations is made.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { generateToken } from "../lib/secret.ts";
import type { RowReader } from "./rows.ts";
import { type SchemaMarker, SELECT_MARKER } from "./schema.ts";
import type { SqlDialect } from "./sql_database.ts";
import type { SqlExecutor } from "./sql_executor.ts";
import type { UserStatements } from "./statements.ts";
import type { Storage } from "./storage.ts";

/** What a part of the SQL storage is made of. */
export interface SqlParts {
  /** Runs statements. */
  executor: SqlExecutor;
  /** Reads rows. */
  reader: RowReader;
  /** The statements that depend on the columns of users and on the database. */
  statements: UserStatements;
  /** In what the database differs from SQLite; undefined for nothing. */
  dialect: SqlDialect | undefined;
}

/**
 * Where a SQL storage keeps its parts, for the operations that it is given later. Of all copies of this
 * module, and of a storage that an application has spread into one of its own.
 */
export const SQL_PARTS: unique symbol = Symbol.for("framework.auth.sql-parts");

/**
 * The operations of a group: the storage's own, or for the SQL storage those that are made of its parts.
 * Each group is asked for in a file of its own, so that a bundle has the statements of those only that
 * something in it needs.
 *
 * @param operation One of them, which tells a storage that has the group from one that has not.
 * @throws {ConfigurationError} When the storage has none of them.
 */
export function groupOf<Group>(
  storage: Storage,
  operation: keyof Group & string,
  create: (parts: SqlParts) => Group,
): Group {
  if (operation in storage) return storage as unknown as Group;
  const parts = (storage as { [SQL_PARTS]?: SqlParts })[SQL_PARTS];
  if (parts !== undefined) return create(parts);
  throw new ConfigurationError(
    `The application's storage has no ${operation}(). Configure \`database\` with a SQL database, or give your storage that operation and its like.`,
    { field: "database" },
  );
}

const keys = new WeakMap<Storage, string>();

/**
 * The random text that the tables of a storage hold, of which an application without a `secret` derives keys that
 * all of its processes have. It is read once for each storage, when it is first asked for. A storage without tables
 * of the library, such as one in memory, has one that lives as long as the process; so has one whose database does
 * not answer, until it is asked again.
 *
 * @returns 64 hexadecimal digits.
 */
export async function databaseKeyOf(storage: Storage): Promise<string> {
  // No promise is kept: another request could not wait for it.
  const known = keys.get(storage);
  if (known !== undefined) return known;
  const key = await readKey(storage);
  if (key === null) return await generateToken();
  // Of two at once the first one stays.
  if (!keys.has(storage)) keys.set(storage, key);
  return keys.get(storage)!;
}

/** Reads it, or makes it where nobody has one; null when the database does not answer. */
async function readKey(storage: Storage): Promise<string | null> {
  const parts = (storage as { [SQL_PARTS]?: SqlParts })[SQL_PARTS];
  if (parts !== undefined) {
    try {
      const { prepare, repeat } = parts.executor;
      const marker = await repeat(
        "read the key of the database",
        () => prepare(SELECT_MARKER).first<SchemaMarker>(),
      );
      if (typeof marker?.key === "string") return marker.key;
    } catch {
      return null;
    }
  }
  return await generateToken();
}
