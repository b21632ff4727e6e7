import type { AccountStorage } from "../storage/account_storage.ts";
import { administrationOf } from "../storage/administration_of.ts";
import type { AdministrationStorage } from "../storage/administration_storage.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import type { PasskeyStorage } from "../storage/passkey_storage.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import type { SecretStorage } from "../storage/secret_storage.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import type { Storage } from "../storage/storage.ts";

/** A storage with the operations of every group. */
export type CompleteStorage =
  & Storage
  & AdministrationStorage
  & SecretStorage
  & AccountStorage
  & PasskeyStorage;

/** The storage with all that the library would ask it for. */
export function completeStorage(storage: Storage): CompleteStorage {
  return {
    ...storage,
    ...administrationOf(storage),
    ...secretsOf(storage),
    ...accountsOf(storage),
    ...passkeysOf(storage),
  };
}
