import { groupOf } from "./group_of.ts";
import type { SentSecretStorage } from "./sent_secret_storage.ts";
import { createSentSecretOperations } from "./sql_sent_secrets.ts";
import type { Storage } from "./storage.ts";

/**
 * The operations on the one-time secrets which are sent to somebody: those of the storage itself, where it has
 * them, else those over its SQL database, which are bundled with this function only.
 *
 * @param storage The storage, such as `auth.storage(env)`.
 * @throws {ConfigurationError} When the storage has none.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, sentSecretsOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const secrets = sentSecretsOf(createMemoryStorage());
 * equal(await secrets.countAttempt("app:code", "no such hash", { now: Date.now(), max: 5 }), null);
 * ```
 */
export function sentSecretsOf(storage: Storage): SentSecretStorage {
  return groupOf<SentSecretStorage>(storage, "putNewestSecret", createSentSecretOperations);
}
