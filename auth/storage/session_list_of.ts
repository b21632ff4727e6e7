import { groupOf } from "./group_of.ts";
import type { SessionListStorage } from "./session_list_storage.ts";
import { createSessionListOperations } from "./sql_session_list.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations that a list of sessions needs: those of the storage itself, where it has them, else those over
 * its SQL database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, sessionListOf } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const list = sessionListOf(createMemoryStorage());
 * deepEqual(await list.listSessions("ada", { now: Date.now(), limit: 10 }), []);
 * ```
 */
export function sessionListOf(storage: Storage): SessionListStorage {
  return groupOf<SessionListStorage>(storage, "listSessions", createSessionListOperations);
}
