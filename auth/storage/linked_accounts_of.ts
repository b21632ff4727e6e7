import { groupOf } from "./group_of.ts";
import type { LinkedAccountStorage } from "./linked_account_storage.ts";
import { createLinkedAccountOperations } from "./sql_linked_accounts.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on the accounts of somebody who is signed in: those of the storage itself, where it has them,
 * else those over its SQL database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, linkedAccountsOf } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const accounts = linkedAccountsOf(createMemoryStorage());
 * deepEqual(await accounts.listAccounts("ada"), []);
 * ```
 */
export function linkedAccountsOf(storage: Storage): LinkedAccountStorage {
  return groupOf<LinkedAccountStorage>(storage, "linkAccount", createLinkedAccountOperations);
}
