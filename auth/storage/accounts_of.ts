import type { AccountStorage } from "./account_storage.ts";
import { groupOf } from "./group_of.ts";
import { createAccountOperations } from "./sql_accounts.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on accounts at providers, and on users by their mailbox.
 *
 * @throws {ConfigurationError} When the storage has none.
 */
export function accountsOf(storage: Storage): AccountStorage {
  return groupOf<AccountStorage>(storage, "findAccount", createAccountOperations);
}
