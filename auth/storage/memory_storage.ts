// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import { ConfigurationError } from "../errors/configuration_error.ts";
import { UserExistsError } from "../errors/storage_errors.ts";
import type { AdministrationStorage } from "./administration_storage.ts";
import type { AccountStorage } from "./account_storage.ts";
import type { ActivityStorage } from "./activity_storage.ts";
import { createMemoryAccounts } from "./memory_accounts.ts";
import type { KnownBrowserStorage } from "./known_browsers.ts";
import { createMemoryActivity } from "./memory_activity.ts";
import { createMemoryKnownBrowsers } from "./memory_known_browsers.ts";
import { createMemoryPasskeys } from "./memory_passkeys.ts";
import { createMemoryRateLimits } from "./memory_rate_limits.ts";
import { createMemorySecrets } from "./memory_secrets.ts";
import {
  activeOwner,
  addOwner,
  assertFree,
  copyUser,
  createMemoryState,
  removeFrom,
  saveSignIn,
  updateOwner,
} from "./memory_state.ts";
import type { LinkedAccountStorage } from "./linked_account_storage.ts";
import type { PasskeyStorage } from "./passkey_storage.ts";
import type { SavedUserStorage } from "./saved_user_storage.ts";
import type { SecretStorage } from "./secret_storage.ts";
import type { SentSecretStorage } from "./sent_secret_storage.ts";
import type { SessionListStorage } from "./session_list_storage.ts";
import type { Storage } from "./storage.ts";

/** The storage in memory, which can do all that any way to sign in needs. */
export type MemoryStorage =
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

/**
 * A storage that lives as long as the process, for tests and for trying things out. Nothing is shared
 * between two processes or two isolates.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const auth = createAuth({ database: storage });
 * equal(auth.storage({}), storage);
 * ```
 */
export function createMemoryStorage(): MemoryStorage {
  const state = createMemoryState();
  const { owners, sessions } = state;

  function setDisabled(id: string, disabled: boolean): boolean {
    const owner = owners.get(id);
    if (owner === undefined) return false;
    owner.disabled = disabled;
    removeFrom(sessions, ({ userId }) => userId === id);
    return true;
  }

  // No body below waits, which is what makes it atomic.
  return {
    ...createMemorySecrets(state),
    ...createMemoryAccounts(state),
    ...createMemoryPasskeys(state),
    ...createMemoryActivity(state),
    ...createMemoryKnownBrowsers(state),
    ...createMemoryRateLimits(),
    async createUser(record, alongside = []) {
      if (alongside.length > 0) {
        throw new ConfigurationError(
          "Cannot run the statements of `alongside`: the memory storage has no SQL. Configure `database` with a SQL database.",
          { field: "database" },
        );
      }
      assertFree(state, record);
      if (owners.has(record.user.id)) throw new UserExistsError();
      addOwner(state, record);
    },
    async getUser(id) {
      const owner = owners.get(id);
      return owner === undefined ? null : copyUser(owner.user);
    },
    async getActiveUser(id) {
      const owner = activeOwner(state, id);
      return owner === undefined ? null : copyUser(owner.user);
    },
    async credentialsCount(id, proofBegunAt) {
      const owner = owners.get(id);
      return owner === undefined || !owner.disabled && owner.credentialsAfter <= proofBegunAt;
    },
    async saveUser(record, options) {
      return saveSignIn(state, record.user.id, { ...options, owner: record });
    },
    async updateUser(record) {
      const owner = owners.get(record.user.id);
      if (owner === undefined) return null;
      assertFree(state, record);
      const { id, email, emailVerified } = record.user;
      if (email !== undefined && owner.emailIdentity !== record.emailIdentity) {
        removeFrom(state.secrets, ({ userId }) => userId === id);
        removeFrom(state.knownBrowsers, ({ userId }) => userId === id);
      }
      updateOwner(owner, record);
      // A proof is of a mailbox: without the identity of one there is none.
      const counts = email !== undefined || owner.emailIdentity !== null;
      if (emailVerified !== undefined && counts) owner.user.emailVerified = emailVerified;
      return copyUser(owner.user);
    },
    async setUserRoles(id, { roles: { role, roles } }) {
      const owner = owners.get(id);
      if (owner === undefined) return null;
      if (role === null) delete owner.user.role;
      else if (role !== undefined) owner.user.role = role;
      if (roles !== undefined) owner.user.roles = [...roles];
      return copyUser(owner.user);
    },
    async disableUser(id) {
      return setDisabled(id, true);
    },
    async enableUser(id) {
      return setDisabled(id, false);
    },
    async deleteUser(id) {
      const isTheirs = ({ userId }: { userId: string | null }) => userId === id;
      removeFrom(sessions, isTheirs);
      removeFrom(state.accounts, isTheirs);
      removeFrom(state.passkeys, isTheirs);
      removeFrom(state.secrets, isTheirs);
      removeFrom(state.activity, isTheirs);
      removeFrom(state.knownBrowsers, isTheirs);
      return owners.delete(id);
    },
    async setCredentialsAfter(id, at, { unproved = false } = {}) {
      const owner = owners.get(id);
      if (owner === undefined || (unproved && owner.user.emailVerified)) return false;
      owner.credentialsAfter = at;
      removeFrom(state.secrets, ({ userId }) => userId === id);
      return true;
    },
    async insertSession(session, options = {}) {
      const saved = saveSignIn(state, session.userId, options);
      if (saved === null) return null;
      sessions.set(session.tokenHash, { ...session });
      if (options.replaces !== undefined) sessions.delete(options.replaces);
      return saved;
    },
    async readSession(tokenHash) {
      const session = sessions.get(tokenHash);
      const owner = session === undefined ? undefined : activeOwner(state, session.userId);
      if (session === undefined || owner === undefined) return null;
      const { tokenHash: _hash, userAgent: _agent, ...record } = session;
      return { user: copyUser(owner.user), session: record };
    },
    async renewSession(id, options) {
      for (const session of sessions.values()) {
        if (session.id !== id) continue;
        if (session.refreshedAt !== options.from || session.expiresAt <= options.at) return false;
        session.refreshedAt = options.at;
        session.expiresAt = options.expiresAt;
        return true;
      }
      return false;
    },
    async listSessions(userId, { now, limit }) {
      return [...sessions.values()]
        .filter((session) => session.userId === userId && session.expiresAt > now)
        .sort((a, b) => b.refreshedAt - a.refreshedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ tokenHash: _hash, ...listed }) => listed);
    },
    async deleteSession(tokenHash) {
      return sessions.delete(tokenHash);
    },
    async deleteSessionById(userId, id) {
      return removeFrom(sessions, (session) => session.userId === userId && session.id === id) > 0;
    },
    async deleteSessions(userId, { exceptId, tenantId = null } = {}) {
      return removeFrom(
        sessions,
        (session) =>
          session.userId === userId && session.id !== exceptId &&
          (tenantId === null || session.tenantId === tenantId),
      );
    },
    async sweep(now, limit) {
      const isOver = ({ expiresAt }: { expiresAt: number }) => expiresAt <= now;
      return removeFrom(sessions, isOver, limit) + removeFrom(state.secrets, isOver, limit) +
        removeFrom(state.knownBrowsers, isOver, limit);
    },
  };
}
