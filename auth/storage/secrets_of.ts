import { groupOf } from "./group_of.ts";
import type { SecretStorage } from "./secret_storage.ts";
import { createSecretOperations } from "./sql_secrets.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on one-time secrets: those of the storage itself, where it has them, else those
 * over its SQL
 * database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, secretsOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const secrets = secretsOf(createMemoryStorage());
 * equal(await secrets.takeSecret("app:invite", "no such hash", { now: Date.now() }), null);
 * ```
 */
export function secretsOf(storage: Storage): SecretStorage {
  return groupOf<SecretStorage>(storage, "putSecret", createSecretOperations);
}
