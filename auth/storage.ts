/**
 * Storage of users and sessions: the storage over a D1-shaped SQL database with its tables, the
 * storage in memory, and the port that both implement.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at: Date.now() });
 * equal((await storage.getUser("ada"))?.id, "ada");
 * ```
 *
 * @module
 */

export {
  AccountTakenError,
  StorageUnavailableError,
  UserChangedError,
  UserExistsError,
} from "./errors.ts";
export { createMemoryRevocationStore } from "./storage/revocations.ts";
export { createMemoryStorage, type MemoryStorage } from "./storage/memory.ts";
export {
  activityGroup,
  type ActivityRecord,
  type ActivityStorage,
  type KeepActivityOptions,
  type ListActivityOptions,
} from "./storage/activity.ts";
export {
  administrationGroup,
  type AdministrationStorage,
  type AlongsideOptions,
  type RoleChanges,
  type UnchangedUser,
} from "./storage/users.ts";
export {
  auditGroup,
  type AuditPerson,
  type AuditRange,
  type AuditRecord,
  type AuditSeal,
  type AuditStorage,
  type PreparedEntry,
} from "./storage/audit.ts";
export {
  type DirectoryEntry,
  directoryGroup,
  type DirectoryRange,
  type DirectoryStorage,
} from "./storage/directory.ts";
export {
  type EndEverythingOptions,
  type Ending,
  endingGroup,
  type Endings,
  type EndingStorage,
  type EndingText,
} from "./storage/endings.ts";
export {
  IMPERSONATION_PURPOSE,
  impersonationGroup,
  type ImpersonationStorage,
} from "./storage/impersonations.ts";
export {
  type DeadRange,
  type LeasedMessage,
  type LeaseOptions,
  outboxGroup,
  type OutboxRecord,
  type OutboxStorage,
} from "./storage/outbox.ts";
export type { ExpectedMessage } from "./storage/outbox_together.ts";
export type { Occurrence, WithoutRequest } from "./types/events.ts";
export {
  type SwapEndpointSecretsOptions,
  webhookEndpointGroup,
  type WebhookEndpointRecord,
  type WebhookEndpointStorage,
} from "./storage/webhook_endpoints.ts";
export { accountGroup, linkedAccountGroup } from "./storage/accounts.ts";
export { passkeyGroup } from "./storage/passkeys.ts";
export {
  type CompleteSignUpOptions,
  type FoundPassword,
  type KeepSignUpsOptions,
  passwordGroup,
  type PasswordRecord,
  type PasswordStorage,
  type PendingSignUp,
  type SetPasswordOptions,
  type SignUpOutcome,
} from "./storage/passwords.ts";
export { savedUserGroup, type SavedUserStorage } from "./storage/saved_users.ts";
export {
  type IsKnownBrowserOptions,
  knownBrowserGroup,
  type KnownBrowserRecord,
  type KnownBrowserStorage,
  type PutKnownBrowserOptions,
} from "./storage/known_browsers.ts";
export {
  apiKeyGroup,
  type ApiKeyOwner,
  type ApiKeyRecord,
  type ApiKeyStorage,
  type FoundApiKey,
  type ListApiKeysOptions,
  type RotateApiKeyOptions,
} from "./storage/api_keys.ts";
export {
  type BindableSession,
  deviceBindingGroup,
  type DeviceBindingStorage,
} from "./storage/device_bindings.ts";
export {
  type InvitationRecord,
  type ListInvitationsOptions,
  teamGroup,
  type TeamStorage,
} from "./storage/teams.ts";
export type { DeviceBinding } from "./types/session.ts";
export {
  type FactorRecord,
  type KeepTrustedBrowsersOptions,
  type KnownRecovery,
  type NewFactor,
  type NewRecovery,
  type NewRecoveryCodes,
  RECOVERY_PURPOSE,
  type ReplaceTokenOptions,
  secondFactorGroup,
  type SecondFactorMeans,
  type SecondFactorStorage,
  type SessionFactorRecord,
  STEP_PURPOSE,
  type TrustedBrowserRecord,
  type TryCodeOptions,
} from "./storage/second_factors.ts";
export {
  type SealedFactor,
  sealedGroup,
  type SealedStorage,
  type SealedTokens,
  type SealedTokensKey,
  type SwapFactorSecretOptions,
  type SwapSealedTokensOptions,
} from "./storage/sealed.ts";
export { secretGroup } from "./storage/secrets.ts";
export { sessionListGroup, type SessionListStorage } from "./storage/sessions.ts";
export { sentSecretGroup } from "./storage/sent_secrets.ts";
export type { AccountStorage, ProveEmailOptions } from "./storage/accounts.ts";
export type { AccountRecord, AccountTokens } from "./storage/records.ts";
export type {
  AddWayOptions,
  LinkedAccountStorage,
  LinkOutcome,
  OpenWays,
  RemoveWayOptions,
  SwapTokensOptions,
  UserWays,
} from "./storage/accounts.ts";
export type { AdvancePasskeyOptions, PasskeyRecord, PasskeyStorage } from "./storage/passkeys.ts";
export type { PreparedPasskey } from "./storage/records.ts";
export type {
  SecretRecord,
  SecretStorage,
  StoredSecret,
  TakeSecretOptions,
} from "./storage/secrets.ts";
export type {
  CountAttemptOptions,
  KeepSecretsOptions,
  RedeemOutcome,
  RedeemSecretOptions,
  SentSecretRecord,
  SentSecretStorage,
} from "./storage/sent_secrets.ts";
export { authSchema } from "./storage/schema.ts";
export { type AuthSchema, type SchemaStep } from "./storage/sql_database.ts";
export { createSqlRevocationStore } from "./storage/revocations.ts";
export { createSqlStorage, type SqlStorageOptions } from "./storage/sql.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlDialect,
  SqlFailure,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./storage/sql_database.ts";
export type { UpgradedTables } from "./storage/sql_database.ts";
export { upgradeTables, type UpgradeTablesOptions } from "./storage/upgrade.ts";
export type {
  DeleteSessionsOptions,
  InsertSessionOptions,
  ListedSession,
  ListSessionsOptions,
  NewSessionRecord,
  RenewSessionOptions,
  SavedUser,
  SaveUserOptions,
  SessionRecord,
  StoredSession,
  UserRecord,
} from "./storage/records.ts";
export {
  type CreateUserRecordOptions,
  groupOf,
  type Storage,
  type StorageTransaction,
} from "./storage/storage.ts";
export type { StorageGroup } from "./storage/group.ts";
export type { SendValkeyCommand } from "./storage/valkey.ts";
export {
  createValkeyRevocationStore,
  type ValkeyRevocationStoreOptions,
} from "./storage/valkey_revocations.ts";
export { provideGroups, type StorageGroups } from "./storage/provide_groups.ts";
export {
  rateLimitGroup,
  type RateLimitRule,
  type RateLimitStorage,
  type RateLimitTake,
} from "./storage/rate_limits.ts";
export {
  type JoinedQuery,
  type JoinedRows,
  type JoinedStatement,
  joinGroup,
  type JoinStorage,
  type SqlTransaction,
  transactionGroup,
  type TransactionStorage,
} from "./storage/transactions.ts";
export type { RevocableSession, RevocationStore, RevokeUserOptions } from "./types/session.ts";
export type { User } from "./types/user.ts";
