import type { Row } from "./rows.ts";
import type { SavedUserStorage } from "./saved_user_storage.ts";
import type { SqlParts } from "./sql_parts.ts";
import { conditionValues, saveBatch, saveStatements } from "./sql_users.ts";

/** Makes the operations of a sign-in whose session is no row. */
export function createSavedUserOperations(parts: SqlParts): SavedUserStorage {
  const { executor, reader, statements: { columns, ownerBy } } = parts;
  /** ?1 user id, ?2 proof begun, ?3 whether the mailbox must be unproved. */
  const selectSignedIn = `SELECT ${columns} ${ownerBy("?1", "?2", "?3")}`;
  return {
    saveUser(record, options = {}) {
      return executor.once("store the user", async () => {
        const results = await saveBatch(executor, [
          ...saveStatements(parts, record, options),
          executor.prepare(selectSignedIn).bind(record.user.id, ...conditionValues(options)),
        ]);
        const [made] = results;
        const row = results.at(-1)?.results[0] as Row | undefined;
        const user = row === undefined ? null : reader.user(row);
        return user === null ? null : { user, created: made!.results.length > 0 };
      });
    },
  };
}
