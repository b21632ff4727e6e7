import type { ActivityStorage } from "./activity_storage.ts";
import { groupOf } from "./group_of.ts";
import { createActivityOperations } from "./sql_activity.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on what happened to accounts: those of the storage itself, where it has them, else those over
 * its SQL database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { activityOf, createMemoryStorage } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const activity = activityOf(createMemoryStorage());
 * deepEqual(await activity.listActivity("ada", { since: 0, limit: 10 }), []);
 * ```
 */
export function activityOf(storage: Storage): ActivityStorage {
  return groupOf<ActivityStorage>(storage, "insertActivity", createActivityOperations);
}
