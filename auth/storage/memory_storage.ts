// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import { ConfigurationError } from "../errors/configuration_error.ts";
import { UserExistsError } from "../errors/storage_errors.ts";
import type { User } from "../users/user.ts";
import type { NewSessionRecord, SavedUser, Storage, UserRecord } from "./storage.ts";

interface Owner {
  user: User;
  emailIdentity: string | null;
  disabled: boolean;
}

/** As a database gives it back: a copy, with null for what is not there. */
function copyUser(user: User): User {
  const copy: User = {
    id: user.id,
    email: user.email ?? null,
    name: user.name ?? null,
    image: user.image ?? null,
    emailVerified: user.emailVerified ? new Date(user.emailVerified) : null,
  };
  if (user.role !== undefined) copy.role = user.role;
  if (user.roles !== undefined && user.roles.length > 0) copy.roles = [...user.roles];
  return copy;
}

function updateOwner(owner: Owner, record: UserRecord): void {
  const { email, name, image, emailVerified } = record.user;
  if (email !== undefined) {
    if (owner.emailIdentity !== record.emailIdentity) {
      owner.user.emailVerified = emailVerified ?? null;
    }
    owner.user.email = email;
    owner.emailIdentity = record.emailIdentity;
  }
  if (name !== undefined) owner.user.name = name;
  if (image !== undefined) owner.user.image = image;
}

/**
 * A storage that lives as long as the process, for tests and for trying things out. Nothing is shared
 * between two processes or two isolates.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * ```
 */
export function createMemoryStorage(): Storage {
  const owners = new Map<string, Owner>();
  const sessions = new Map<string, NewSessionRecord>();

  function assertFree(record: UserRecord): void {
    if (record.emailIdentity === null) return;
    for (const [id, owner] of owners) {
      const sameMailbox = owner.emailIdentity === record.emailIdentity;
      if (sameMailbox && id !== record.user.id) throw new UserExistsError();
    }
  }

  function addOwner(record: UserRecord): void {
    owners.set(record.user.id, {
      user: copyUser(record.user),
      emailIdentity: record.emailIdentity,
      disabled: false,
    });
  }

  function activeOwner(id: string): Owner | undefined {
    const owner = owners.get(id);
    return owner?.disabled === true ? undefined : owner;
  }

  function save(record: UserRecord): SavedUser | null {
    const created = !owners.has(record.user.id);
    const owner = activeOwner(record.user.id);
    if (!created && owner === undefined) return null;
    assertFree(record);
    if (owner === undefined) addOwner(record);
    else updateOwner(owner, record);
    return { user: copyUser(owners.get(record.user.id)!.user), created };
  }

  function removeSessions(
    matches: (session: NewSessionRecord) => boolean,
    limit: number = Infinity,
  ): number {
    let removed = 0;
    for (const [tokenHash, session] of sessions) {
      if (removed === limit) break;
      if (!matches(session)) continue;
      sessions.delete(tokenHash);
      removed++;
    }
    return removed;
  }

  function setDisabled(id: string, disabled: boolean): boolean {
    const owner = owners.get(id);
    if (owner === undefined) return false;
    owner.disabled = disabled;
    removeSessions(({ userId }) => userId === id);
    return true;
  }

  // No body below waits, which is what makes it atomic.
  return {
    async createUser(record, alongside = []) {
      if (alongside.length > 0) {
        throw new ConfigurationError(
          "Cannot run the statements of `alongside`: the memory storage has no SQL. Configure `database` with a SQL database.",
          { field: "database" },
        );
      }
      assertFree(record);
      if (owners.has(record.user.id)) throw new UserExistsError();
      addOwner(record);
    },
    async getUser(id) {
      const owner = owners.get(id);
      return owner === undefined ? null : copyUser(owner.user);
    },
    async getActiveUser(id) {
      const owner = activeOwner(id);
      return owner === undefined ? null : copyUser(owner.user);
    },
    async saveUser(record) {
      return save(record);
    },
    async updateUser(record) {
      const owner = owners.get(record.user.id);
      if (owner === undefined) return null;
      assertFree(record);
      updateOwner(owner, record);
      const { emailVerified } = record.user;
      if (emailVerified !== undefined) owner.user.emailVerified = emailVerified;
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
      removeSessions(({ userId }) => userId === id);
      return owners.delete(id);
    },
    async insertSession(session, { owner: record, replaces } = {}) {
      const saved = record === undefined ? null : save(record);
      const owner = activeOwner(session.userId);
      if (owner === undefined) return null;
      sessions.set(session.tokenHash, { ...session });
      if (replaces !== undefined) sessions.delete(replaces);
      return { user: copyUser(owner.user), created: saved?.created ?? false };
    },
    async readSession(tokenHash) {
      const session = sessions.get(tokenHash);
      const owner = session === undefined ? undefined : activeOwner(session.userId);
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
      return removeSessions((session) => session.userId === userId && session.id === id) > 0;
    },
    async deleteSessions(userId, { exceptId } = {}) {
      return removeSessions((session) => session.userId === userId && session.id !== exceptId);
    },
    async sweep(now, limit) {
      return removeSessions(({ expiresAt }) => expiresAt <= now, limit);
    },
  };
}
