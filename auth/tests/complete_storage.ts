import type { AccountStorage } from "../storage/account_storage.ts";
import { activityOf } from "../storage/activity_of.ts";
import type { ActivityStorage } from "../storage/activity_storage.ts";
import { administrationOf } from "../storage/administration_of.ts";
import type { AdministrationStorage } from "../storage/administration_storage.ts";
import { accountsOf } from "../storage/accounts_of.ts";
import { knownBrowsersOf, type KnownBrowserStorage } from "../storage/known_browsers.ts";
import type { LinkedAccountStorage } from "../storage/linked_account_storage.ts";
import { linkedAccountsOf } from "../storage/linked_accounts_of.ts";
import type { PasskeyStorage } from "../storage/passkey_storage.ts";
import { passkeysOf } from "../storage/passkeys_of.ts";
import type { SavedUserStorage } from "../storage/saved_user_storage.ts";
import { savedUsersOf } from "../storage/saved_users_of.ts";
import type { SecretStorage } from "../storage/secret_storage.ts";
import { secretsOf } from "../storage/secrets_of.ts";
import type { SentSecretStorage } from "../storage/sent_secret_storage.ts";
import { sentSecretsOf } from "../storage/sent_secrets_of.ts";
import { sessionListOf } from "../storage/session_list_of.ts";
import type { SessionListStorage } from "../storage/session_list_storage.ts";
import type { Storage } from "../storage/storage.ts";

/** A storage with the operations of every group. */
export type CompleteStorage =
  & Storage
  & AdministrationStorage
  & SecretStorage
  & SentSecretStorage
  & AccountStorage
  & LinkedAccountStorage
  & PasskeyStorage
  & SavedUserStorage
  & SessionListStorage
  & ActivityStorage
  & KnownBrowserStorage;

/** The storage with all that the library would ask it for. */
export function completeStorage(storage: Storage): CompleteStorage {
  return {
    ...storage,
    ...administrationOf(storage),
    ...secretsOf(storage),
    ...sentSecretsOf(storage),
    ...accountsOf(storage),
    ...linkedAccountsOf(storage),
    ...passkeysOf(storage),
    ...savedUsersOf(storage),
    ...sessionListOf(storage),
    ...activityOf(storage),
    ...knownBrowsersOf(storage)!,
  };
}
