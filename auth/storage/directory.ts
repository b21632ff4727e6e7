/**
 * Directory of all users, for administrators: port, SQL and accessor.
 *
 * @module
 */

import type { User } from "../types/user.ts";
import type { SqlParts, StorageGroup } from "./group.ts";
import { type Check, isTextOrNull, isTime, isTimeOrNull, type Row } from "./rows.ts";
import type { SqlDialect, SqlValue } from "./sql_database.ts";

/** A user in the directory, also a disabled one. */
export interface DirectoryEntry {
  /** The user as stored. */
  user: User;
  /** Identity of the mailbox, by which the directory is searched; null for none. */
  emailIdentity: string | null;
  /** Time at which the user was made, in milliseconds since 1970. */
  createdAt: number;
  /** Time at which the user was disabled, in milliseconds since 1970; null for one who is not. */
  disabledAt: number | null;
}

/** A part of the directory in the order of one index, and the entry after which it goes on. */
export type DirectoryRange =
  /** Everybody, the newest first. */
  | { by: "creation"; after: { createdAt: number; id: string } | null }
  /** Users with a role, in the order of their ids; `after` is an id, "" at first. */
  | { by: "role"; role: string; after: string }
  /** Users with a mailbox that begins so; `after` is an identity, "" at first. */
  | { by: "address"; prefix: string; after: string }
  /** Users with a name that begins so, as {@linkcode foldName} writes it. */
  | { by: "name"; prefix: string; after: { name: string; id: string } | null };

/** Operations on the directory of users. Each reads by an index, however many users there are. */
export interface DirectoryStorage {
  /**
   * Reads the next entries of a range, at most `limit`: by creation the newest first, of one time the greater id; else in
   * the order of ids, mailboxes, or names whose letters A to Z are lower case, as in a range. Safe to repeat.
   */
  pageUsers(range: DirectoryRange, limit: number): Promise<DirectoryEntry[]>;
  /** Reads the entry of a user; null when there is none. Safe to repeat. */
  describeUser(id: string): Promise<DirectoryEntry | null>;
}

/**
 * Writes a name as the directory is ordered by it. It folds what every database folds alike, the letters A to Z;
 * {@linkcode nameForms} writes the others in the ways in which names begin.
 */
export function foldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Forms in which a name may be stored that somebody looks for, the likeliest first: `öz` is in `Özil` too. */
export function nameForms(typed: string): string[] {
  const lower = typed.toLowerCase();
  const title = lower.replace(
    /(^|[\s'-])(\p{L})/gu,
    (_, before, letter) => before + letter.toUpperCase(),
  );
  return [...new Set([typed, lower, title].map(foldName))];
}

// Behind every text that begins with the prefix, in the order of bytes.
const LAST = "\u{10ffff}";
const LATEST = 8.64e15;

/** The statements. */
function writeStatements(
  { columns }: { columns: string },
  { byBytes = "", foldedName }: Partial<SqlDialect> = {},
) {
  const all = `${columns}, users.email_identity, users.created_at, users.disabled_at`;
  const name = foldedName ?? `lower(users.name${byBytes})${byBytes}`;
  const identity = `users.email_identity${byBytes}`;
  return {
    /** ?1 id. */
    user: `SELECT ${all} FROM users WHERE users.id = ?1`,
    /** ?1 created and ?2 id of the entry before, ?3 limit. */
    creation: `SELECT ${all} FROM users WHERE (users.created_at, users.id) < (?1, ?2)
ORDER BY users.created_at DESC, users.id DESC LIMIT ?3`,
    /** ?1 role, ?2 id of the entry before, ?3 limit. The page first: else a planner may go through the users before it. */
    role: `SELECT ${all} FROM (SELECT user_id FROM user_roles WHERE role = ?1 AND user_id > ?2
  ORDER BY user_id LIMIT ?3) AS page JOIN users ON users.id = page.user_id ORDER BY page.user_id`,
    /** ?1 prefix, ?2 end of it, ?3 identity of the entry before, ?4 limit. */
    address: `SELECT ${all} FROM users
WHERE ${identity} >= ?1 AND ${identity} < ?2 AND ${identity} > ?3 ORDER BY ${identity} LIMIT ?4`,
    /** ?1 name of the entry before, ?2 end of the prefix, ?3 limit. */
    laterNames: `SELECT ${all} FROM users
WHERE ${name} > ?1 AND ${name} < ?2 ORDER BY ${name}, users.id LIMIT ?3`,
    /** ?1 name, ?2 id of the entry before, ?3 limit. A comparison of pairs would not begin at the entry in SQLite. */
    sameName: `SELECT ${all} FROM users
WHERE ${name} = ?1 AND users.id > ?2 ORDER BY users.id LIMIT ?3`,
  };
}

const CHECKS: readonly Check[] = [
  ["email_identity", isTextOrNull],
  ["created_at", isTime],
  ["disabled_at", isTimeOrNull],
];

/** Makes the operations on the directory. */
function createDirectoryOperations(
  { executor: { prepare, repeat }, reader, statements, dialect }: SqlParts,
): DirectoryStorage {
  const text = writeStatements(statements, dialect);

  function readEntry(row: Row): DirectoryEntry | null {
    const user = reader.holds(row, CHECKS) ? reader.user(row) : null;
    return user && {
      user,
      emailIdentity: row.email_identity as string | null,
      createdAt: row.created_at as number,
      disabledAt: row.disabled_at as number | null,
    };
  }

  /** The statements that give a range, one after the other. */
  function textsOf(range: DirectoryRange): [sql: string, ...values: SqlValue[]][] {
    switch (range.by) {
      case "creation":
        return [[text.creation, range.after?.createdAt ?? LATEST, range.after?.id ?? ""]];
      case "role":
        return [[text.role, range.role, range.after]];
      case "address":
        return [[text.address, range.prefix, range.prefix + LAST, range.after]];
      case "name": {
        const { name, id } = range.after ?? { name: range.prefix, id: "" };
        return [[text.sameName, name, id], [text.laterNames, name, range.prefix + LAST]];
      }
    }
  }

  return {
    pageUsers(range, limit) {
      return repeat("list the users", async () => {
        const rows: Row[] = [];
        for (const [sql, ...values] of textsOf(range)) {
          const left = limit - rows.length;
          if (left === 0) break;
          rows.push(...(await prepare(sql).bind(...values, left).all<Row>()).results);
        }
        return rows.map(readEntry).filter((entry) => entry !== null);
      });
    },
    describeUser(id) {
      return repeat("read the user", async () => {
        const row = await prepare(text.user).bind(id).first<Row>();
        return row && readEntry(row);
      });
    },
  };
}

/**
 * Group of operations on the directory of users, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, directoryGroup, groupOf } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const storage = createMemoryStorage();
 * await storage.createUser({ user: { id: "ada", roles: ["admin"] }, emailIdentity: null, at: Date.now() });
 * const directory = groupOf(storage, directoryGroup);
 * const found = await directory.pageUsers({ by: "role", role: "admin", after: "" }, 10);
 * deepEqual(found.map(({ user }) => user.id), ["ada"]);
 * ```
 */
export const directoryGroup: StorageGroup<DirectoryStorage> = {
  name: "directory",
  sql: createDirectoryOperations,
};
