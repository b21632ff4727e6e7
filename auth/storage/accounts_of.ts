import type { AccountStorage } from "./account_storage.ts";
import { groupOf } from "./group_of.ts";
import { createAccountOperations } from "./sql_accounts.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on accounts at providers, and on users by their mailbox: those of the storage
 * itself, where it
 * has them, else those over its SQL database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { accountsOf, createMemoryStorage } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const accounts = accountsOf(createMemoryStorage());
 * equal(await accounts.findAccount("github", "583231"), null);
 * ```
 */
export function accountsOf(storage: Storage): AccountStorage {
  return groupOf<AccountStorage>(storage, "findAccount", createAccountOperations);
}
