import {
  accountGroup,
  type AccountStorage,
  activityGroup,
  type ActivityStorage,
  administrationGroup,
  type AdministrationStorage,
  apiKeyGroup,
  type ApiKeyStorage,
  auditGroup,
  type AuditStorage,
  deviceBindingGroup,
  type DeviceBindingStorage,
  directoryGroup,
  type DirectoryStorage,
  endingGroup,
  type EndingStorage,
  groupOf,
  impersonationGroup,
  type ImpersonationStorage,
  knownBrowserGroup,
  type KnownBrowserStorage,
  linkedAccountGroup,
  type LinkedAccountStorage,
  outboxGroup,
  type OutboxStorage,
  passkeyGroup,
  type PasskeyStorage,
  passwordGroup,
  type PasswordStorage,
  savedUserGroup,
  type SavedUserStorage,
  sealedGroup,
  type SealedStorage,
  secondFactorGroup,
  type SecondFactorStorage,
  secretGroup,
  type SecretStorage,
  sentSecretGroup,
  type SentSecretStorage,
  sessionListGroup,
  type SessionListStorage,
  type Storage,
  type StorageGroup,
  teamGroup,
  type TeamStorage,
  webhookEndpointGroup,
  type WebhookEndpointStorage,
} from "@framework/auth/storage";
import type { InSuite } from "./suites.ts";

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
  & OutboxStorage
  & WebhookEndpointStorage
  & TeamStorage
  & ImpersonationStorage
  & KnownBrowserStorage
  & PasswordStorage
  & SecondFactorStorage
  & SealedStorage
  & DeviceBindingStorage;

/** Checks one behaviour of an empty storage. */
export type StorageCase = InSuite<(storage: CompleteStorage) => Promise<void>>;

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
  outboxGroup,
  webhookEndpointGroup,
  teamGroup,
  impersonationGroup,
  knownBrowserGroup,
  passwordGroup,
  secondFactorGroup,
  sealedGroup,
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
    ...groupOf(storage, outboxGroup),
    ...groupOf(storage, webhookEndpointGroup),
    ...groupOf(storage, teamGroup),
    ...groupOf(storage, impersonationGroup),
    ...groupOf(storage, knownBrowserGroup),
    ...groupOf(storage, passwordGroup),
    ...groupOf(storage, secondFactorGroup),
    ...groupOf(storage, sealedGroup),
    ...groupOf(storage, deviceBindingGroup),
    group<Operations>(wanted: StorageGroup<Operations>) {
      // Its own operations, also those that a test replaces in a copy.
      return GROUPS.some(({ name }) => name === wanted.name)
        ? this as Operations
        : storage.group!(wanted);
    },
  };
}
