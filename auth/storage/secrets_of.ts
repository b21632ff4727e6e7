import { groupOf } from "./group_of.ts";
import type { SecretStorage } from "./secret_storage.ts";
import { createSecretOperations } from "./sql_secrets.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on one-time secrets.
 *
 * @throws {ConfigurationError} When the storage has none.
 */
export function secretsOf(storage: Storage): SecretStorage {
  return groupOf<SecretStorage>(storage, "putSecret", createSecretOperations);
}
