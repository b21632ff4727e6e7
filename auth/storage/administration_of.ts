import type { AdministrationStorage } from "./administration_storage.ts";
import { groupOf } from "./group_of.ts";
import { createAdministrationOperations } from "./sql_administration.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations that change users: those of the storage itself, where it has them, else those over
 * its SQL
 * database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { administrationOf, createMemoryStorage } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const at = Date.now();
 * await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at });
 * const user = await administrationOf(storage).setUserRoles("ada", { roles: { role: "admin" }, at });
 * equal(user?.role, "admin");
 * ```
 */
export function administrationOf(storage: Storage): AdministrationStorage {
  return groupOf<AdministrationStorage>(storage, "updateUser", createAdministrationOperations);
}
