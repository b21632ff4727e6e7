/**
 * The storage port: users and sessions, and the groups of operations that a feature adds.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import type { User } from "../types/user.ts";
import type { StorageGroup } from "./group.ts";
import type {
  DeleteSessionsOptions,
  InsertSessionOptions,
  NewSessionRecord,
  RenewSessionOptions,
  SavedUser,
  StoredSession,
  UserRecord,
} from "./records.ts";

/**
 * A transaction of a storage, for {@linkcode Storage.createUser}. Only the storage that gave it can tell what is in
 * it: for a SQL database the statements of {@linkcode TransactionStorage.transaction}. A storage without
 * transactions, such as the one in memory, gives none.
 */
export interface StorageTransaction {
  /** Work of the transaction, in a shape of the storage's own. */
  readonly work: unknown;
  /**
   * Takes what is told of a user once the transaction is committed. Default: the storage commits it with the operation.
   */
  readonly afterCommit?: (userId: string, tell: () => void) => void;
}

/** Options for {@linkcode Storage.createUser}. */
export interface CreateUserRecordOptions {
  /** Transaction of this storage in which the user is stored first. Default: one of its own. */
  within?: StorageTransaction | undefined;
}

/**
 * The port to whatever keeps users and sessions. Every application needs these operations; a feature that needs more
 * reaches them through {@linkcode Storage.group} and nothing else, so a storage implements what is used.
 *
 * Of every operation, those of groups included, holds:
 *
 * - **Atomic.** It happens as a whole or not at all, and of two at once one comes first. The condition and the write
 *   of an operation are never apart. Over a connection with transactions, one whose `ROLLBACK` or `COMMIT` gets no
 *   answer is dead: close it, and give it to nobody. What was begun may still be open in it, and the next operation
 *   would become a part of that. The caller is told by a `StorageUnavailableError`, also when the `COMMIT` has
 *   happened.
 * - **The caller's clock.** Every time is a number of milliseconds since 1970 that the library gives: a storage reads
 *   no clock of its own.
 * - **Repeatable or not.** "Safe to repeat" means that a second call with the same arguments leaves the same rows; the
 *   library and the storage may then ask again when an answer is lost. Without these words it is asked once.
 * - **In place of.** What is stored in place of another row of the same key takes all of it: no field of the one before
 *   is left, and a count such as `attempts` begins again. Nothing else goes with the row before, unless the operation
 *   says so. Where nothing is stored, the one before stays.
 * - **Errors.** A store that does not answer is a `StorageUnavailableError`, missing tables are a
 *   `ConfigurationError`. A row that cannot be read counts as absent.
 * - **Keys byte by byte.** Ids, hashes, purposes and mailboxes that differ in any character are different.
 * - **Ends.** What ends at a moment is over from that moment on: `expiresAt <= now`.
 * - **Order.** Of rows of one time, those of the smaller key come first (the id, the hash, provider and id there),
 *   in whatever order the store has for texts, unless the operation says otherwise. What removes all but the newest
 *   keeps those that come first.
 *
 * An operation changes users together with sessions, secrets and whatever else a user has, so all of them are in one
 * store, which has transactions or another way to change several rows at once. Limits of attempts may be elsewhere.
 *
 * A user has a time from which checks of credentials count. A check counts that has read that very time before it began,
 * or began at a later one. There is none at first; `setPassword()` and `endEverything()` move it to the time that they are
 * given, and where it is a later one already, by another server's clock, one millisecond on: so no check counts that read what
 * it was before. Where it is that very time already it stays, as at the same call once more: of two changes that are given the
 * same millisecond, a check that read it between them counts after both. After the first proof of a mailbox it is
 * 8,640,000,000,000,000 (never), until one of them moves it to the time that it is given. See {@linkcode Storage.credentialsCount}.
 *
 * `testStorage()` of `@framework/testing/storage` holds a storage of your own to all of it.
 */
export interface Storage {
  /**
   * Stores a new user. Unique: one id, one mailbox. Not safe to repeat: the second call finds the user of the first.
   *
   * @param options Transaction of this storage in which it happens. Default: one of its own.
   * @throws {UserExistsError} When the id or the mailbox is taken.
   * @throws {ConfigurationError} When there is a transaction and the storage has none.
   */
  createUser(record: UserRecord, options?: CreateUserRecordOptions): Promise<void>;
  /** Reads the user, also a disabled one; null when there is none. Safe to repeat. */
  getUser(id: string): Promise<User | null>;
  /** Reads the user; null when there is none, and for a disabled one. Safe to repeat. */
  getActiveUser(id: string): Promise<User | null>;
  /**
   * Tells if credentials that were right let this user in: false for a disabled one, and when the user's
   * credentials count only from later on than `proofBegunAt`, see {@linkcode SaveUserOptions.proofBegunAt}. True for
   * nobody, who may be made by a sign-in. Safe to repeat.
   */
  credentialsCount(id: string, proofBegunAt: number): Promise<boolean>;
  /**
   * Stores a session, with its owner and what else the options say, all of it or nothing. Unique: one id, one token
   * hash, which are random: what a storage throws for one that is taken is up to it. An owner who is disabled at the
   * same time has no session afterwards. Not safe to repeat.
   *
   * @returns Null, and nothing stored, when the owner does not exist or is disabled, or the options refuse.
   */
  insertSession(
    session: NewSessionRecord,
    options?: InsertSessionOptions,
  ): Promise<SavedUser | null>;
  /**
   * Reads the session of this token with its owner; null when either is gone or the owner is disabled. At once
   * where the store is in the process: every request of somebody who is signed in asks for it. Safe to repeat.
   */
  readSession(tokenHash: string): StoredSession | null | Promise<StoredSession | null>;
  /**
   * Moves the end of a session; of several at once that read the same session one does. Safe to repeat: the second
   * call changes nothing and says false.
   *
   * @returns False when it is gone, has ended or was renewed meanwhile.
   */
  renewSession(id: string, options: RenewSessionOptions): Promise<boolean>;
  /** Ends the session of this token; false when there was none. Safe to repeat. */
  deleteSession(tokenHash: string): Promise<boolean>;
  /** Ends the sessions of a user, all or those that the options say; returns how many. Safe to repeat. */
  deleteSessions(userId: string, options?: DeleteSessionsOptions): Promise<number>;
  /**
   * Removes what has ended before `now`, at most `limit` rows of each table; returns how many. Safe to repeat, and
   * not one unit: rows that are removed before a failure stay so.
   */
  sweep(now: number, limit: number): Promise<number>;
  /**
   * Gives the operations of a group, null when the storage does not have them. A storage of your own says which
   * ones it has by {@linkcode provideGroups}; one that has none leaves this out.
   */
  group?<Operations>(wanted: StorageGroup<Operations>): Operations | null;
}

/**
 * Gives the operations of a group: the one way to whatever {@linkcode Storage} itself does not have. For a SQL
 * database a bundle holds the statements of those groups that something in it names.
 *
 * @param storage Storage, such as `auth.storage(env)`.
 * @param wanted Group, such as `secretGroup`.
 * @throws {ConfigurationError} When the storage does not have the group; the message names it.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, passkeyGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const passkeys = groupOf(createMemoryStorage(), passkeyGroup);
 * deepEqual(await passkeys.listPasskeys("ada"), []);
 * ```
 */
export function groupOf<Operations>(
  storage: Storage,
  wanted: StorageGroup<Operations>,
): Operations {
  const operations = storage.group?.(wanted);
  if (operations) return operations;
  throw new ConfigurationError(
    `The storage has no group "${wanted.name}": give it \`group: provideGroups({ ${wanted.name} })\`, or configure a SQL \`database\``,
    { field: "database" },
  );
}

/**
 * The storage of an application that has no database, as one with the session strategy 'jwt' may do. Whatever needs
 * one says so when it is called.
 */
export function createNoStorage(): Storage {
  return new Proxy({} as Storage, {
    get(_, operation) {
      // Whoever awaits the storage itself asks for the first one; a group of it is told as missing by groupOf().
      if (operation === "then" || operation === "group" || typeof operation === "symbol") {
        return undefined;
      }
      return () =>
        Promise.reject(
          new ConfigurationError(
            `Cannot do "${operation}": the application has no database. Configure \`database\`.`,
            { field: "database" },
          ),
        );
    },
  });
}
