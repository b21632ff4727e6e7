import { groupOf } from "./group_of.ts";
import type { SavedUserStorage } from "./saved_user_storage.ts";
import { createSavedUserOperations } from "./sql_saved_users.ts";
import type { Storage } from "./storage.ts";

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
