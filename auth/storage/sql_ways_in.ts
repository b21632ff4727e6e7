import type { SqlStatement } from "./sql_database.ts";
import type { SqlParts } from "./sql_parts.ts";

/**
 * What a batch begins with whose statements hold only as long as nothing else of the user changes, such as
 * "another way in remains": in some databases two of them would not see each other.
 */
export function lockUser({ executor, dialect }: SqlParts, userId: string): SqlStatement[] {
  return dialect === undefined ? [] : [executor.prepare(dialect.lockUser).bind(userId)];
}
