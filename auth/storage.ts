/**
 * Where users and sessions are kept: the storage over a D1-shaped SQL database with its tables, the
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

export { createMemoryRevocationStore } from "./storage/memory_revocations.ts";
export { createMemoryStorage, type MemoryStorage } from "./storage/memory_storage.ts";
export { activityOf } from "./storage/activity_of.ts";
export type {
  ActivityRecord,
  ActivityStorage,
  KeepActivityOptions,
  ListActivityOptions,
} from "./storage/activity_storage.ts";
export { administrationOf } from "./storage/administration_of.ts";
export type { AdministrationStorage, RoleChanges } from "./storage/administration_storage.ts";
export { accountsOf } from "./storage/accounts_of.ts";
export { linkedAccountsOf } from "./storage/linked_accounts_of.ts";
export { passkeysOf } from "./storage/passkeys_of.ts";
export { savedUsersOf } from "./storage/saved_users_of.ts";
export type { SavedUserStorage } from "./storage/saved_user_storage.ts";
export {
  type IsKnownBrowserOptions,
  type KnownBrowserRecord,
  knownBrowsersOf,
  type KnownBrowserStorage,
  type PutKnownBrowserOptions,
} from "./storage/known_browsers.ts";
export { secretsOf } from "./storage/secrets_of.ts";
export { sessionListOf } from "./storage/session_list_of.ts";
export type { SessionListStorage } from "./storage/session_list_storage.ts";
export { sentSecretsOf } from "./storage/sent_secrets_of.ts";
export type { AccountStorage, ProveEmailOptions } from "./storage/account_storage.ts";
export type { AccountRecord, AccountTokens } from "./storage/storage.ts";
export type {
  AddWayOptions,
  LinkedAccountStorage,
  LinkOutcome,
  RemoveWayOptions,
  SwapTokensOptions,
} from "./storage/linked_account_storage.ts";
export type {
  AdvancePasskeyOptions,
  PasskeyRecord,
  PasskeyStorage,
} from "./storage/passkey_storage.ts";
export type { PreparedPasskey } from "./storage/storage.ts";
export type {
  SecretRecord,
  SecretStorage,
  StoredSecret,
  TakeSecretOptions,
} from "./storage/secret_storage.ts";
export type {
  CountAttemptOptions,
  KeepSecretsOptions,
  RedeemOutcome,
  RedeemSecretOptions,
  SentSecretRecord,
  SentSecretStorage,
} from "./storage/sent_secret_storage.ts";
export { type AuthSchema, authSchema, type SchemaStep } from "./storage/schema.ts";
export { createSqlRevocationStore } from "./storage/sql_revocations.ts";
export { createSqlStorage, type SqlStorageOptions } from "./storage/sql_storage.ts";
export type { SqlDialect, SqlFailure } from "./storage/sql_dialect.ts";
export type {
  SqlBatchOptions,
  SqlDatabase,
  SqlResult,
  SqlStatement,
  SqlValue,
} from "./storage/sql_database.ts";
export {
  type UpgradedTables,
  upgradeTables,
  type UpgradeTablesOptions,
} from "./storage/upgrade_tables.ts";
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
  Storage,
  StoredSession,
  UserRecord,
} from "./storage/storage.ts";
export type {
  RevocableSession,
  RevocationStore,
  RevokeUserOptions,
} from "./session/revocation_store.ts";
export type { User } from "./users/user.ts";
