/**
 * Users without stored sessions: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import type { Row } from "./rows.ts";
import { conditionValues, saveBatch, saveStatements } from "./sql.ts";
import type { SavedUser, SaveUserOptions, UserRecord } from "./records.ts";

/** Operations for a sign-in whose session is no row. */
export interface SavedUserStorage {
  /**
   * Stores a user who signs in. A new id is inserted. Of a known user, email, name and image are written unless they
   * are `undefined`; roles never, and an email only where the user's is not proved and the user has not changed since
   * `at`. Such an address brings its `emailIdentity`, and is as proved as `emailVerified` says. The one that the user has,
   * said again, changes nothing, with one exception: where it is stored without an identity, and `emailVerified` proves
   * it, the user gets the identity with the proof. Null, and nothing stored, when the user is disabled or the options
   * refuse. Unique: one id, one mailbox; of several sign-ins at once that create
   * the user, one reports it. Not safe to repeat: the second call reports no creation.
   *
   * @throws {UserExistsError} When the mailbox is another user's.
   */
  saveUser(record: UserRecord, options?: SaveUserOptions): Promise<SavedUser | null>;
}

/** Makes the operations of a sign-in whose session is no row. */
function createSavedUserOperations(parts: SqlParts): SavedUserStorage {
  const { executor, reader, statements: { columns, ownerBy } } = parts;
  /** ?1 user id, conditions from ?2 on. */
  const selectSignedIn = `SELECT ${columns} ${ownerBy("?1", 2)}`;
  return {
    saveUser(record, options = {}) {
      return executor.once("store the user", async () => {
        const results = await saveBatch(executor, [
          ...saveStatements(parts, record.user.id, record, options),
          executor.prepare(selectSignedIn).bind(record.user.id, ...conditionValues(options)),
        ]);
        const row = results.at(-1)?.results[0] as Row | undefined;
        const user = row === undefined ? null : reader.user(row);
        return user === null
          ? null
          : { user, created: !options.existing && results[0]!.results.length > 0 };
      });
    },
  };
}

/**
 * Group of operations on a sign-in whose session is no row, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, savedUserGroup } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const users = groupOf(createMemoryStorage(), savedUserGroup);
 * const record = { user: { id: "ada" }, emailIdentity: null, at: Date.now() };
 * equal((await users.saveUser(record))?.created, true);
 * equal((await users.saveUser(record))?.created, false);
 * ```
 */
export const savedUserGroup: StorageGroup<SavedUserStorage> = {
  name: "savedUsers",
  sql: createSavedUserOperations,
};
