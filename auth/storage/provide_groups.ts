/**
 * Groups of operations that a storage of one's own can have.
 *
 * @module
 */

import type { AccountStorage, LinkedAccountStorage } from "./accounts.ts";
import type { ActivityStorage } from "./activity.ts";
import type { AdministrationStorage } from "./users.ts";
import type { ApiKeyStorage } from "./api_keys.ts";
import type { AuditStorage } from "./audit.ts";
import type { DeviceBindingStorage } from "./device_bindings.ts";
import type { DirectoryStorage } from "./directory.ts";
import type { EndingStorage } from "./endings.ts";
import type { StorageGroup } from "./group.ts";
import type { TeamStorage } from "./teams.ts";
import type { ImpersonationStorage } from "./impersonations.ts";
import type { KnownBrowserStorage } from "./known_browsers.ts";
import type { OutboxStorage } from "./outbox.ts";
import type { PasskeyStorage } from "./passkeys.ts";
import type { PasswordStorage } from "./passwords.ts";
import type { RateLimitStorage } from "./rate_limits.ts";
import type { SavedUserStorage } from "./saved_users.ts";
import type { SealedStorage } from "./sealed.ts";
import type { SecondFactorStorage } from "./second_factors.ts";
import type { SecretStorage } from "./secrets.ts";
import type { SentSecretStorage } from "./sent_secrets.ts";
import type { SessionListStorage } from "./sessions.ts";
import type { JoinStorage, TransactionStorage } from "./transactions.ts";
import type { WebhookEndpointStorage } from "./webhook_endpoints.ts";

/** Groups by name, each for features that need it. All are optional. */
export interface StorageGroups {
  /** Sign-in at providers, and with a mailbox. */
  accounts?: AccountStorage;
  /** The account page. */
  activity?: ActivityStorage;
  /** Changes of users, such as `disableUser()`. */
  administration?: AdministrationStorage;
  /** Keys of `apiKeys()`. */
  apiKeys?: ApiKeyStorage;
  /** The trail of `auditTrail()`. */
  audit?: AuditStorage;
  /** Sessions of `deviceBound()`. */
  deviceBindings?: DeviceBindingStorage;
  /** `listUsers()` and the pages of administrators. */
  directory?: DirectoryStorage;
  /** `endEverything()`. */
  endings?: EndingStorage;
  /** `joinTransaction()`. */
  joinedTransactions?: JoinStorage;
  /** Lists of `impersonation()`. */
  impersonations?: ImpersonationStorage;
  /** Invitations of `teamPage()`. */
  teams?: TeamStorage;
  /** Attempts to sign in that an owner's browser has of its own. */
  knownBrowsers?: KnownBrowserStorage;
  /** Linking of accounts, and `getAccessToken()`. */
  linkedAccounts?: LinkedAccountStorage;
  /** Events of `outbox()`. */
  outbox?: OutboxStorage;
  /** Passkeys. */
  passkeys?: PasskeyStorage;
  /** Passwords and sign-ups of `passwords()`. */
  passwords?: PasswordStorage;
  /** Limits of attempts, unless `rateLimit.storage` says who counts. */
  rateLimits?: RateLimitStorage;
  /** Sign-in with the session strategy 'jwt'. */
  savedUsers?: SavedUserStorage;
  /** `resealSecrets()`. */
  sealed?: SealedStorage;
  /** Second factors, recovery codes and trusted browsers of `secondFactor()`. */
  secondFactors?: SecondFactorStorage;
  /** Sign-in at providers, and whatever else is taken once. */
  secrets?: SecretStorage;
  /** Email, passkeys and one-time tokens. */
  sentSecrets?: SentSecretStorage;
  /** Lists of sessions. */
  sessionList?: SessionListStorage;
  /** `createUser()` together with rows of the application. */
  transactions?: TransactionStorage;
  /** Addresses of `tenantWebhooks()`. */
  webhookEndpoints?: WebhookEndpointStorage;
}

/**
 * Says which groups a storage of your own has.
 *
 * @param groups Operations of each, by the name of the group.
 * @returns The member `group` of the storage.
 *
 * @example
 * ```ts
 * import {
 *   createMemoryStorage,
 *   groupOf,
 *   type KnownBrowserStorage,
 *   knownBrowserGroup,
 *   provideGroups,
 *   type Storage,
 * } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const browsers = new Map<string, { userId: string; expiresAt: number }>();
 * const knownBrowsers: KnownBrowserStorage = {
 *   async putKnownBrowser({ idHash, userId, expiresAt }) {
 *     browsers.set(idHash, { userId, expiresAt });
 *   },
 *   async isKnownBrowser(idHash, { now }) {
 *     return (browsers.get(idHash)?.expiresAt ?? 0) > now;
 *   },
 *   async dropKnownBrowsers(userId) {
 *     for (const [hash, one] of browsers) if (one.userId === userId) browsers.delete(hash);
 *   },
 * };
 *
 * // In the place of operations of your own on users and sessions.
 * const storage: Storage = { ...createMemoryStorage(), group: provideGroups({ knownBrowsers }) };
 * equal(groupOf(storage, knownBrowserGroup), knownBrowsers);
 * ```
 */
export function provideGroups(
  groups: StorageGroups,
): <Operations>(wanted: StorageGroup<Operations>) => Operations | null {
  return <Operations>({ name }: StorageGroup<Operations>) =>
    Object.hasOwn(groups, name) ? groups[name as keyof StorageGroups] as Operations : null;
}
