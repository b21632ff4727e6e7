import { groupOf } from "./group_of.ts";
import type { PasskeyStorage } from "./passkey_storage.ts";
import { createPasskeyOperations } from "./sql_passkeys.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on passkeys: those of the storage itself, where it has them, else those over its
 * SQL database,
 * which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, passkeysOf } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const passkeys = passkeysOf(createMemoryStorage());
 * deepEqual(await passkeys.listPasskeys("ada"), []);
 * ```
 */
export function passkeysOf(storage: Storage): PasskeyStorage {
  return groupOf<PasskeyStorage>(storage, "insertPasskey", createPasskeyOperations);
}
