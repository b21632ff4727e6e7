import {
  accountGroup,
  type AccountStorage,
  linkedAccountGroup,
  type LinkedAccountStorage,
} from "../storage/accounts.ts";
import { activityGroup, type ActivityStorage } from "../storage/activity.ts";
import { administrationGroup, type AdministrationStorage } from "../storage/users.ts";
import { apiKeyGroup, type ApiKeyStorage } from "../storage/api_keys.ts";
import { deviceBindingGroup, type DeviceBindingStorage } from "../storage/device_bindings.ts";
import { auditGroup, type AuditStorage } from "../storage/audit.ts";
import { directoryGroup, type DirectoryStorage } from "../storage/directory.ts";
import { endingGroup, type EndingStorage } from "../storage/endings.ts";
import type { StorageGroup } from "../storage/group.ts";
import { impersonationGroup, type ImpersonationStorage } from "../storage/impersonations.ts";
import { teamGroup, type TeamStorage } from "../storage/teams.ts";
import { knownBrowserGroup, type KnownBrowserStorage } from "../storage/known_browsers.ts";
import { passkeyGroup, type PasskeyStorage } from "../storage/passkeys.ts";
import { passwordGroup, type PasswordStorage } from "../storage/passwords.ts";
import { savedUserGroup, type SavedUserStorage } from "../storage/saved_users.ts";
import { secondFactorGroup, type SecondFactorStorage } from "../storage/second_factors.ts";
import { secretGroup, type SecretStorage } from "../storage/secrets.ts";
import { sentSecretGroup, type SentSecretStorage } from "../storage/sent_secrets.ts";
import { sessionListGroup, type SessionListStorage } from "../storage/sessions.ts";
import { groupOf, type Storage } from "../storage/storage.ts";

/** A storage with the operations of every group. */
export type CompleteStorage =
  & Storage
  & AdministrationStorage
  & AuditStorage
  & DirectoryStorage
  & ApiKeyStorage
  & EndingStorage
  & SecretStorage
  & SentSecretStorage
  & AccountStorage
  & LinkedAccountStorage
  & PasskeyStorage
  & SavedUserStorage
  & SessionListStorage
  & ActivityStorage
  & TeamStorage
  & ImpersonationStorage
  & KnownBrowserStorage
  & PasswordStorage
  & SecondFactorStorage
  & DeviceBindingStorage;

/** Groups whose operations a complete storage has as its own. */
export const GROUPS: readonly StorageGroup<object>[] = [
  administrationGroup,
  auditGroup,
  directoryGroup,
  apiKeyGroup,
  endingGroup,
  secretGroup,
  sentSecretGroup,
  accountGroup,
  linkedAccountGroup,
  passkeyGroup,
  savedUserGroup,
  sessionListGroup,
  activityGroup,
  teamGroup,
  impersonationGroup,
  knownBrowserGroup,
  passwordGroup,
  secondFactorGroup,
  deviceBindingGroup,
];

/** The storage with all that the library would ask it for. */
export function completeStorage(storage: Storage): CompleteStorage {
  return {
    ...storage,
    ...groupOf(storage, administrationGroup),
    ...groupOf(storage, auditGroup),
    ...groupOf(storage, directoryGroup),
    ...groupOf(storage, apiKeyGroup),
    ...groupOf(storage, endingGroup),
    ...groupOf(storage, secretGroup),
    ...groupOf(storage, sentSecretGroup),
    ...groupOf(storage, accountGroup),
    ...groupOf(storage, linkedAccountGroup),
    ...groupOf(storage, passkeyGroup),
    ...groupOf(storage, savedUserGroup),
    ...groupOf(storage, sessionListGroup),
    ...groupOf(storage, activityGroup),
    ...groupOf(storage, teamGroup),
    ...groupOf(storage, impersonationGroup),
    ...groupOf(storage, knownBrowserGroup),
    ...groupOf(storage, passwordGroup),
    ...groupOf(storage, secondFactorGroup),
    ...groupOf(storage, deviceBindingGroup),
    group<Operations>(wanted: StorageGroup<Operations>) {
      // Its own operations, also those that a test replaces in a copy.
      return GROUPS.some(({ name }) => name === wanted.name)
        ? this as Operations
        : storage.group!(wanted);
    },
  };
}
