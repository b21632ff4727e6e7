import { groupOf } from "./group_of.ts";
import type { PasskeyStorage } from "./passkey_storage.ts";
import { createPasskeyOperations } from "./sql_passkeys.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on passkeys.
 *
 * @throws {ConfigurationError} When the storage has none.
 */
export function passkeysOf(storage: Storage): PasskeyStorage {
  return groupOf<PasskeyStorage>(storage, "insertPasskey", createPasskeyOperations);
}
