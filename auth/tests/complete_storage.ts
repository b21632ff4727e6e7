import {
  accountsOf,
  type AccountStorage,
  linkedAccountsOf,
  type LinkedAccountStorage,
} from "../storage/accounts.ts";
import { activityOf, type ActivityStorage } from "../storage/activity.ts";
import { administrationOf, type AdministrationStorage } from "../storage/administration.ts";
import { knownBrowsersOf, type KnownBrowserStorage } from "../storage/known_browsers.ts";
import { passkeysOf, type PasskeyStorage } from "../storage/passkeys.ts";
import { savedUsersOf, type SavedUserStorage } from "../storage/saved_users.ts";
import { secretsOf, type SecretStorage } from "../storage/secrets.ts";
import { sentSecretsOf, type SentSecretStorage } from "../storage/sent_secrets.ts";
import { sessionListOf, type SessionListStorage } from "../storage/session_list.ts";
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
