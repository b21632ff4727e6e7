/**
 * Users without stored sessions: port, SQL and accessor.
 *
 * @module
 */

import { groupOf, type SqlParts } from "./parts.ts";
import type { Row } from "./rows.ts";
import { conditionValues, saveBatch, saveStatements } from "./sql.ts";
import type { SavedUser, SaveUserOptions, Storage, UserRecord } from "./storage.ts";

/** The part of the port that a sign-in needs whose session is no row. */
export interface SavedUserStorage {
  /**
   * Stores a user who signs in. A new id is inserted. Of a known user only those of e-mail, name and
   * image that are not `undefined` are written, never roles. Null, and nothing stored, when the user is
   * disabled or the options refuse.
   *
   * @throws {UserExistsError} When the mailbox is another user's.
   */
  saveUser(record: UserRecord, options?: SaveUserOptions): Promise<SavedUser | null>;
}

/** Makes the operations of a sign-in whose session is no row. */
function createSavedUserOperations(parts: SqlParts): SavedUserStorage {
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

/**
 * The operations of a sign-in whose session is no row: those of the storage itself, where it has them, else
 * those over its SQL database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, savedUsersOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const users = savedUsersOf(createMemoryStorage());
 * const record = { user: { id: "ada" }, emailIdentity: null, at: Date.now() };
 * equal((await users.saveUser(record))?.created, true);
 * equal((await users.saveUser(record))?.created, false);
 * ```
 */
export function savedUsersOf(storage: Storage): SavedUserStorage {
  return groupOf<SavedUserStorage>(storage, "saveUser", createSavedUserOperations);
}
