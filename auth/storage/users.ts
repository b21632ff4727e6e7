/**
 * Administration of users: port, SQL and accessor.
 *
 * @module
 */

import { UserChangedError, UserExistsError } from "../errors.ts";
import type { User } from "../types/user.ts";
import { endApiKeys } from "./api_keys.ts";
import type { PreparedEntry } from "./audit.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { endKnownBrowsers } from "./known_browsers.ts";
import type { Row } from "./rows.ts";
import { endTrustedBrowsers } from "./second_factors.ts";
import { endLinks } from "./secrets.ts";
import { changeValues, firstUser, isGiven } from "./sql.ts";
import type { SqlResult, SqlStatement } from "./sql_database.ts";
import { changesOf } from "./sql_executor.ts";
import { endSessions } from "./statements.ts";
import type { UserRecord } from "./records.ts";

/** The roles that a user is to have. What is `undefined` stays as it is. */
export interface RoleChanges {
  /** The one role; null for none. */
  role?: string | null;
  /** All of the roles; an empty list for none. */
  roles?: string[];
}

/** A user as whoever decides about a change has read them. */
export interface UnchangedUser {
  /** Their id. */
  userId: string;
  /** All of their roles, each once, in any order. */
  roles: readonly string[];
  /** True where they must not be blocked either. Default false. */
  active?: boolean;
}

/** Further work of a change of users. */
export interface AlongsideOptions {
  /** Entry of the trail that is stored with the change, or not at all, see `auditGroup`. Default: none. */
  entry?: PreparedEntry | undefined;
  /**
   * Users who must still be as they were read, such as whoever makes the change: else nothing is changed. Of two
   * administrators who take each other's role at once one keeps it. Default: none.
   *
   * @throws {UserChangedError} When one of them is not.
   */
  unchanged?: readonly UnchangedUser[] | undefined;
}

/** Operations that change users, which no sign-in does. */
export interface AdministrationStorage {
  /**
   * Changes those of email, its proof, name and image that are not `undefined`. A new mailbox is not
   * proved unless `emailVerified` says so, and what was sent to the old one ends, with the user's known browsers: what
   * `links` of {@linkcode Endings} names. A proof alone is stored only for a user who has a mailbox. Unique: one mailbox. Safe to repeat.
   *
   * @returns The user as stored; null when there is none.
   * @throws {UserExistsError} When the mailbox is another user's.
   */
  updateUser(record: UserRecord): Promise<User | null>;
  /**
   * Changes the roles of a user, each of the two in place of what was there; null when there is none. A sign-in at the same
   * time changes none of it. Safe to repeat.
   */
  setUserRoles(
    id: string,
    options: { roles: RoleChanges; at: number } & AlongsideOptions,
  ): Promise<User | null>;
  /**
   * Shuts a user out and ends their sessions, one-time secrets (`links` of {@linkcode Endings}), known and trusted browsers
   * and API keys, all of it or nothing; a sign-in at the same time leaves no session. False when there is no such user. Safe to repeat.
   */
  disableUser(id: string, at: number, options?: AlongsideOptions): Promise<boolean>;
  /** Lets a user in again, with a new sign-in; false when there is no such user. Safe to repeat. */
  enableUser(id: string, at: number, options?: AlongsideOptions): Promise<boolean>;
  /** Removes a user with everything that is theirs; false when there was none. Safe to repeat. */
  deleteUser(id: string, options?: AlongsideOptions): Promise<boolean>;
}

/** The statements. Each is one wherever a race would matter. */
function writeStatements({ columns }: { columns: string }) {
  const isOther =
    " AND EXISTS (SELECT 1 FROM users WHERE id = ?1 AND email_identity IS DISTINCT FROM ?2)";
  return {
    /**
     * As `UPDATE_KNOWN_USER`, also for a disabled user, and ?11 whether the proof is given, which is of a mailbox:
     * an address that was kept without its identity is proved only together with the address.
     */
    update: `UPDATE users SET
  email = CASE WHEN ?8 = 1 THEN ?2 ELSE email END,
  email_verified = CASE WHEN ?11 = 1 AND (?8 = 1 OR email_identity IS NOT NULL) THEN ?6
    WHEN ?8 = 1 AND email_identity IS DISTINCT FROM ?3 THEN NULL ELSE email_verified END,
  email_identity = CASE WHEN ?8 = 1 THEN ?3 ELSE email_identity END,
  name = CASE WHEN ?9 = 1 THEN ?4 ELSE name END,
  image = CASE WHEN ?10 = 1 THEN ?5 ELSE image END,
  updated_at = ?7
WHERE id = ?1 RETURNING ${columns}`,
    /** ?1 id, ?2 role, ?3 roles, ?4 now; given: ?5 role, ?6 roles. */
    setRoles: `UPDATE users SET
  role = CASE WHEN ?5 = 1 THEN ?2 ELSE role END,
  roles = CASE WHEN ?6 = 1 THEN ?3 ELSE roles END,
  updated_at = ?4
WHERE id = ?1 RETURNING ${columns}`,
    /** ?1 id, ?2 now. */
    disable:
      "UPDATE users SET disabled_at = COALESCE(disabled_at, ?2), updated_at = ?2 WHERE id = ?1",
    /** ?1 id, ?2 now. */
    enable: "UPDATE users SET disabled_at = NULL, updated_at = ?2 WHERE id = ?1",
    /** ?1 user, ?2 mailbox: nothing when the user has it already. */
    dropOfOther: [...endLinks(isOther), ...endKnownBrowsers(isOther)],
    /** ?1 id. Whatever is theirs goes with it: their rows refer to it. */
    delete: "DELETE FROM users WHERE id = ?1",
  };
}

/** The statements of an entry of the trail. */
function entryOf(entry: PreparedEntry | undefined): SqlStatement[] {
  return (entry?.prepared ?? []) as SqlStatement[];
}

/** The condition that a user is unchanged, and its values, whose placeholders begin after `used`. */
function conditionOf({ userId, roles, active = false }: UnchangedUser, used: number) {
  const id = `?${used + 1}`;
  const places = roles.map((_, index) => `?${used + 2 + index}`).join(", ");
  const count = (further: string) =>
    `(SELECT COUNT(*) FROM user_roles WHERE user_id = ${id}${further}) = ${roles.length}`;
  return {
    values: [userId, ...roles],
    text: `EXISTS (SELECT 1 FROM users AS known WHERE known.id = ${id}${
      active ? " AND known.disabled_at IS NULL" : ""
    }) AND ${count("")}${roles.length === 0 ? "" : ` AND ${count(` AND role IN (${places})`)}`}`,
  };
}

/**
 * The statements that take a change of the user `id` back unless others are unchanged: a second row of that user. On
 * PostgreSQL under a lock, since two changes at once would each see the other's user as before.
 */
function guardOf(
  { executor: { prepare }, dialect }: SqlParts,
  id: string,
  unchanged: readonly UnchangedUser[],
): SqlStatement[] {
  if (unchanged.length === 0) return [];
  const values = [id];
  const conditions: string[] = [];
  for (const one of unchanged) {
    const condition = conditionOf(one, values.length);
    conditions.push(condition.text);
    values.push(...condition.values);
  }
  return [
    ...dialect === undefined ? [] : [prepare(dialect.lockText).bind("administration of users")],
    prepare(`INSERT INTO users (id) SELECT id FROM users
WHERE id = ?1 AND NOT (${conditions.join(" AND ")})`).bind(...values),
  ];
}

/** Runs the statements of a change, and gives back the results of its `own`. */
async function runChange(
  parts: SqlParts,
  id: string,
  { own, entry, unchanged = [] }: AlongsideOptions & { own: SqlStatement[] },
): Promise<SqlResult[]> {
  const guard = guardOf(parts, id, unchanged);
  const results = await parts.executor.batch([...guard, ...entryOf(entry), ...own]);
  return results.slice(-own.length);
}

/** A change whose guard has taken it back says why. */
async function guarded<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (cause) {
    if (!(cause instanceof UserExistsError)) throw cause;
    throw new UserChangedError(undefined, { cause });
  }
}

/** True for a change that is one statement. */
function isAlone({ entry, unchanged = [] }: AlongsideOptions): boolean {
  return entry === undefined && unchanged.length === 0;
}

/** Makes the operations that change users. */
function createAdministrationOperations(parts: SqlParts): AdministrationStorage {
  const { executor } = parts;
  const { prepare, repeat } = executor;
  const text = writeStatements(parts.statements);
  return {
    updateUser(record) {
      return repeat("update the user", async () => {
        const { user: { id, email, emailVerified }, emailIdentity } = record;
        const results = await executor.batch([
          ...email === undefined
            ? []
            : text.dropOfOther.map((sql) => prepare(sql).bind(id, emailIdentity)),
          prepare(text.update).bind(...changeValues(record), isGiven(emailVerified)),
        ]);
        const row = results.at(-1)!.results[0] as Row | undefined;
        return row === undefined ? null : parts.reader.user(row);
      });
    },
    setUserRoles(id, { roles: { role, roles }, at, ...alongside }) {
      return guarded(repeat("set the roles of the user", async () => {
        const change = prepare(text.setRoles)
          .bind(id, role ?? null, JSON.stringify(roles ?? []), at, isGiven(role), isGiven(roles));
        if (isAlone(alongside)) return await firstUser(parts, change);
        const [changed] = await runChange(parts, id, { ...alongside, own: [change] });
        const row = changed!.results[0] as Row | undefined;
        return row === undefined ? null : parts.reader.user(row);
      }));
    },
    disableUser(id, at, alongside = {}) {
      return guarded(repeat("disable the user", async () => {
        const ends = [
          ...endSessions(),
          ...endLinks(),
          ...endKnownBrowsers(),
          ...endTrustedBrowsers(),
          ...endApiKeys(),
        ];
        const own = [
          prepare(text.disable).bind(id, at),
          ...ends.map((sql) => prepare(sql).bind(id)),
        ];
        const [updated] = await runChange(parts, id, { ...alongside, own });
        return changesOf(updated) > 0;
      }));
    },
    enableUser(id, at, alongside = {}) {
      return guarded(repeat("enable the user", async () => {
        const own = [
          prepare(text.enable).bind(id, at),
          ...endSessions().map((sql) => prepare(sql).bind(id)),
        ];
        const [updated] = await runChange(parts, id, { ...alongside, own });
        return changesOf(updated) > 0;
      }));
    },
    deleteUser(id, alongside = {}) {
      return guarded(repeat("delete the user", async () => {
        const removal = prepare(text.delete).bind(id);
        if (isAlone(alongside)) return changesOf(await removal.run()) > 0;
        const [removed] = await runChange(parts, id, { ...alongside, own: [removal] });
        return changesOf(removed) > 0;
      }));
    },
  };
}

/**
 * Group of operations on changes of users, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { administrationGroup, createMemoryStorage, groupOf } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * const at = Date.now();
 * await storage.createUser({ user: { id: "ada" }, emailIdentity: null, at });
 * const user = await groupOf(storage, administrationGroup).setUserRoles("ada", { roles: { role: "admin" }, at });
 * equal(user?.role, "admin");
 * ```
 */
export const administrationGroup: StorageGroup<AdministrationStorage> = {
  name: "administration",
  sql: createAdministrationOperations,
};
