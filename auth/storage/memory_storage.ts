import { ConfigurationError } from "../errors/configuration_error.ts";
import { UserExistsError } from "../errors/storage_errors.ts";
import type { User } from "../users/user.ts";
import type { NewSessionRecord, Storage, UserRecord } from "./storage.ts";

interface Owner {
  user: User;
  emailIdentity: string | null;
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
    for (const [id, owner] of owners) {
      const sameMailbox = record.emailIdentity !== null &&
        owner.emailIdentity === record.emailIdentity;
      if (sameMailbox && id !== record.user.id) throw new UserExistsError();
    }
  }

  function addOwner(record: UserRecord): void {
    owners.set(record.user.id, {
      user: copyUser(record.user),
      emailIdentity: record.emailIdentity,
    });
  }

  // Every body below runs to its end without waiting, which is what makes it atomic.
  return {
    // deno-lint-ignore require-await -- what it throws must be a rejection
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
    getUser(id) {
      const owner = owners.get(id);
      return Promise.resolve(owner === undefined ? null : copyUser(owner.user));
    },
    // deno-lint-ignore require-await -- what it throws must be a rejection
    async insertSession(session, options = {}) {
      const { owner: record, replaces } = options;
      const created = record !== undefined && !owners.has(record.user.id);
      if (record !== undefined) {
        assertFree(record);
        if (created) addOwner(record);
        else updateOwner(owners.get(record.user.id)!, record);
      }
      const owner = owners.get(session.userId);
      if (owner === undefined) return null;
      sessions.set(session.tokenHash, { ...session });
      if (replaces !== undefined) sessions.delete(replaces);
      return { user: copyUser(owner.user), created };
    },
    readSession(tokenHash) {
      const session = sessions.get(tokenHash);
      const owner = session === undefined ? undefined : owners.get(session.userId);
      if (session === undefined || owner === undefined) return Promise.resolve(null);
      const { id, userId, createdAt, authenticatedAt, refreshedAt, expiresAt } = session;
      return Promise.resolve({
        user: copyUser(owner.user),
        session: { id, userId, createdAt, authenticatedAt, refreshedAt, expiresAt },
      });
    },
    renewSession(id, options) {
      for (const session of sessions.values()) {
        if (session.id !== id) continue;
        if (session.refreshedAt !== options.from || session.expiresAt <= options.at) break;
        session.refreshedAt = options.at;
        session.expiresAt = options.expiresAt;
        return Promise.resolve(true);
      }
      return Promise.resolve(false);
    },
    deleteSession(tokenHash) {
      return Promise.resolve(sessions.delete(tokenHash));
    },
    sweep(now, limit) {
      let removed = 0;
      for (const [tokenHash, session] of sessions) {
        if (removed === limit) break;
        if (session.expiresAt > now) continue;
        sessions.delete(tokenHash);
        removed++;
      }
      return Promise.resolve(removed);
    },
  };
}
