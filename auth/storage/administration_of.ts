import type { AdministrationStorage } from "./administration_storage.ts";
import { groupOf } from "./group_of.ts";
import { createAdministrationOperations } from "./sql_administration.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations that change users.
 *
 * @throws {ConfigurationError} When the storage has none.
 */
export function administrationOf(storage: Storage): AdministrationStorage {
  return groupOf<AdministrationStorage>(storage, "updateUser", createAdministrationOperations);
}
