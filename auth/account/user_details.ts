/**
 * One user with everything that administrators see, and what they may change.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { currentRequest, gateOf } from "../core/request.ts";
import { type Rbac, type RoleHolder, rolesOf, rulesFor, userHasRole } from "../rbac/permissions.ts";
import type { UserSession } from "../session/user_sessions.ts";
import { storedSessions } from "../session/user_sessions.ts";
import { linkedAccountGroup } from "../storage/accounts.ts";
import { activityGroup, type ActivityRecord } from "../storage/activity.ts";
import { directoryGroup } from "../storage/directory.ts";
import type { StorageGroup } from "../storage/group.ts";
import { passkeyGroup } from "../storage/passkeys.ts";
import { passwordGroup } from "../storage/passwords.ts";
import { secondFactorGroup } from "../storage/second_factors.ts";
import { groupOf } from "../storage/storage.ts";
import type { User } from "../types/user.ts";
import { KEPT, MAX_AGE } from "./activity.ts";
import type { UserAccount } from "./linked_accounts.ts";
import type { ListedUser } from "./list_users.ts";

/** Something that happened to an account, as administrators see it. */
export interface UserActivity extends Omit<ActivityRecord, "userId" | "at"> {
  /** Time of the event. */
  at: Date;
}

/** A user with what an administrator sees. It contains no secret, hash or token. */
export interface UserDetails<AppUser extends User = User> extends ListedUser<AppUser> {
  /** Active sessions, in all tenants; null with the session strategy 'jwt', where nobody keeps a list. */
  sessions: UserSession[] | null;
  /** Accounts at providers. */
  accounts: UserAccount[];
  /** Number of passkeys. */
  passkeys: number;
  /** Time of the last change of the password of `passwords()`; null for none. */
  passwordChangedAt: Date | null;
  /** Time at which the second factor was turned on; null for none. */
  secondFactorAt: Date | null;
  /** Activity of the last 90 days, newest first, where {@linkcode accountPage} records it. */
  activity: UserActivity[];
}

/** As {@linkcode describeUser}, for an endpoint. */
export async function readUserDetails(
  { auth }: RequestStore,
  userId: string,
): Promise<UserDetails | null> {
  const { settings } = auth;
  const { storage, now, providers } = settings;
  const entry = await groupOf(storage, directoryGroup).describeUser(userId);
  if (entry === null) return null;

  /** Nothing is asked of the group of a feature that the application does not have. */
  async function ask<Operations, Result>(
    group: StorageGroup<Operations>,
    isUsed: boolean,
    question: (operations: Operations) => Promise<Result>,
    none: Result,
  ): Promise<Result> {
    const operations = isUsed ? storage.group?.(group) : null;
    return operations ? await question(operations) : none;
  }

  const methods = [...providers.values()];
  const state = await auth.load();
  const [sessions, accounts, passkeys, password, factor, activity] = await Promise.all([
    storedSessions(settings, userId),
    ask(linkedAccountGroup, true, (accounts) => accounts.listAccounts(userId), []),
    ask(
      passkeyGroup,
      methods.some(({ type }) => type === "webauthn"),
      (passkeys) => passkeys.listPasskeys(userId),
      [],
    ),
    ask(
      passwordGroup,
      methods.some(({ opens }) => opens?.passwords),
      (passwords) => passwords.readPassword(userId),
      null,
    ),
    ask(
      secondFactorGroup,
      gateOf(settings) !== undefined,
      (factors) => factors.readFactor(userId),
      null,
    ),
    ask(
      activityGroup,
      true,
      (activity) => activity.listActivity(userId, { since: now() - MAX_AGE, limit: KEPT }),
      [],
    ),
  ]);
  const { user, createdAt, disabledAt } = entry;
  return {
    user,
    createdAt: new Date(createdAt),
    disabledAt: disabledAt === null ? null : new Date(disabledAt),
    sessions: sessions && sessions.map((session) => ({
      id: session.id,
      current: state.status === "valid" && state.id === session.id,
      createdAt: new Date(session.createdAt),
      refreshedAt: new Date(session.refreshedAt),
      expires: new Date(session.expiresAt),
      userAgent: session.userAgent,
    })),
    accounts: accounts.map(({ provider, providerAccountId, type, email, scope, createdAt }) => ({
      provider,
      providerAccountId,
      type,
      email,
      scope,
      createdAt: new Date(createdAt),
    })),
    passkeys: passkeys.length,
    passwordChangedAt: password && new Date(password.changedAt),
    secondFactorAt: factor && new Date(factor.createdAt),
    activity: activity.map(({ userId: _, at, ...entry }) => ({ ...entry, at: new Date(at) })),
  };
}

/**
 * Describes a user for administrators, also a disabled one: profile, sessions, ways to sign in, second factor, and activity.
 * It contains no secret, hash or token. Who asks is not checked: ask {@linkcode requirePermission} before.
 *
 * @param userId Id of the user.
 * @returns Null when there is none.
 * @throws {ConfigurationError} When the storage has no group `directory`.
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, describeUser, startSession } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/", { method: "POST" }), {}, undefined, async () => {
 *   await createUser({ id: "ada", name: "Ada" });
 *   await startSession("ada");
 *   const ada = await describeUser("ada");
 *   deepEqual([ada?.user.name, ada?.sessions?.length, ada?.passkeys], ["Ada", 1, 0]);
 *   return new Response();
 * });
 * ```
 */
export async function describeUser<AppUser extends User = User>(
  userId: string,
): Promise<UserDetails<AppUser> | null> {
  return await readUserDetails(currentRequest("describeUser"), userId) as
    | UserDetails<AppUser>
    | null;
}

/**
 * Tests that one user may do whatever another one may: who administers users must not gain by them. A role that is not
 * defined may mean anything to the application, so only who has it too, or may do everything, holds it.
 */
export function holdsAllOf(rbac: Rbac, actor: RoleHolder, other: RoleHolder): boolean {
  if (rbac.permits(actor, "*")) return true;
  const all = rbac.toJSON();
  const defined = new Set(all.roles.map(([id]) => id));
  return rolesOf(other).every((one) => defined.has(one) || userHasRole(actor, one)) &&
    rulesFor(all, other).roles.every(([, permissions]) =>
      permissions.every((permission) => rbac.permits(actor, permission))
    );
}
