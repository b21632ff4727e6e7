import { ConfigurationError } from "../errors/configuration_error.ts";
import { SQL_PARTS, type SqlParts } from "./sql_parts.ts";
import type { Storage } from "./storage.ts";

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
