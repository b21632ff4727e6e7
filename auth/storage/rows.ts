/**
 * Users and sessions as records and rows, checked in both directions.
 *
 * @module
 */

import { wrongOption } from "../lib/options.ts";
import type { User } from "../types/user.ts";
import type { SqlValue } from "./sql_database.ts";
import type { SessionRecord, StoredSession, UserRecord } from "./records.ts";

/** A row as the database gives it: nothing about its values is taken for granted. */
export type Row = Record<string, unknown>;

/** Reads rows; one with a value of the wrong type counts as none, and is reported. */
export interface RowReader {
  /** The user in a row, or null. */
  user(row: Row): User | null;
  /** The session and its owner in a row, or null. */
  storedSession(row: Row): StoredSession | null;
  /** The session in a row, of this user, or null. */
  session(row: Row, userId: string): SessionRecord | null;
  /** The record that a row is, or null, also for no row. */
  record<Entry>(row: Row | null, fields: Fields<Entry>): Entry | null;
  /** Returns true when every value of a row has its type. */
  holds(row: Row, checks: readonly Check[]): boolean;
  /** The list of texts in a column; null, and reported, when it is none. */
  texts(row: Row, column: string): string[] | null;
}

/** Options for a {@linkcode RowReader}. */
export interface RowReaderOptions {
  /** Further columns of `users`, which the user gets as they are. */
  userColumns: readonly string[];
  /** Told which column of a row cannot be read, and the user's id or the session's when that can. */
  onCorrupt(column: string, id: string | null): void;
}

/** Type of a column's values. */
export type Check = readonly [column: string, holds: (value: unknown) => boolean];

/** Of a column of texts. */
export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Of a column of texts, some of which may be missing. */
export function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

// Beyond this a Date is invalid (ECMA-262, 21.4.1.1), and an invalid one compares as neither over nor not.
const MAX_TIME = 8.64e15;

/** Of a column of moments, or of other integers. */
export function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && Math.abs(value) <= MAX_TIME;
}

/** Of a column of moments, some of which may be missing. */
export function isTimeOrNull(value: unknown): boolean {
  return value === null || isTime(value);
}

const USER_CHECKS: readonly Check[] = [
  ["id", isText],
  ["email", isTextOrNull],
  ["name", isTextOrNull],
  ["image", isTextOrNull],
  ["email_verified", isTimeOrNull],
  ["role", isTextOrNull],
];

const SESSION_CHECKS: readonly Check[] = [
  ["session_id", isText],
  ["created_at", isTime],
  ["authenticated_at", isTime],
  ["refreshed_at", isTime],
  ["expires_at", isTime],
];

function readTexts(value: unknown): string[] | null {
  if (typeof value !== "string") return null;
  if (value === "[]") return [];
  try {
    const texts: unknown = JSON.parse(value);
    return Array.isArray(texts) && texts.every(isText) ? texts : null;
  } catch {
    return null;
  }
}

/** Makes the reader of a storage. */
export function createRowReader(options: RowReaderOptions): RowReader {
  const { userColumns, onCorrupt } = options;

  function report(row: Row, column: string): null {
    const id = [row.session_id, row.id].find(isText);
    onCorrupt(column, id ?? null);
    return null;
  }

  function holds(row: Row, checks: readonly Check[]): boolean {
    for (const [column, check] of checks) {
      if (check(row[column])) continue;
      report(row, column);
      return false;
    }
    return true;
  }

  function record<Entry>(row: Row | null, fields: Fields<Entry>): Entry | null {
    if (row === null) return null;
    const entry: Row = {};
    for (const [field, check] of Object.entries<Check[1]>(fields)) {
      const column = columnOf(field);
      if (!check(row[column])) return report(row, column);
      entry[field] = row[column];
    }
    return entry as Entry;
  }

  function texts(row: Row, column: string): string[] | null {
    return readTexts(row[column]) ?? report(row, column);
  }

  function readUser(row: Row): User | null {
    if (!holds(row, USER_CHECKS)) return null;
    const roles = texts(row, "roles");
    if (roles === null) return null;
    const verified = row.email_verified as number | null;
    const user: User & Row = {
      id: row.id as string,
      email: row.email as string | null,
      name: row.name as string | null,
      image: row.image as string | null,
      emailVerified: verified === null ? null : new Date(verified),
    };
    if (row.role !== null) user.role = row.role as string;
    if (roles.length > 0) user.roles = roles;
    for (const column of userColumns) user[column] = row[column] ?? null;
    return user;
  }

  function readSession(row: Row, userId: string): SessionRecord | null {
    if (!holds(row, SESSION_CHECKS)) return null;
    const tenantId = row.tenant_id as string | null;
    const session: SessionRecord = {
      id: row.session_id as string,
      userId,
      createdAt: row.created_at as number,
      authenticatedAt: row.authenticated_at as number,
      refreshedAt: row.refreshed_at as number,
      expiresAt: row.expires_at as number,
    };
    if (tenantId !== null) session.tenantId = tenantId;
    return session;
  }

  return {
    holds,
    record,
    texts,
    user: readUser,
    session: readSession,
    storedSession(row) {
      const user = readUser(row);
      const session = user === null ? null : readSession(row, user.id);
      return session === null ? null : { user: user!, session };
    },
  };
}

/** The values that `INSERT_USER` and `UPDATE_KNOWN_USER` begin with. */
export function personValues({ user, emailIdentity, at }: UserRecord): SqlValue[] {
  return [
    user.id,
    user.email ?? null,
    emailIdentity,
    user.name ?? null,
    user.image ?? null,
    user.emailVerified?.getTime() ?? null,
    at,
  ];
}

/** The values of a user's row, in the order of `INSERT_USER`. */
export function userValues(record: UserRecord): SqlValue[] {
  const { role = null, roles = [] } = record.user;
  return [...personValues(record), role, JSON.stringify(roles)];
}

/** The fields of a record that is one row of a table, each with what its column may hold. */
export type Fields<Entry> = { readonly [Field in keyof Entry]-?: (value: unknown) => boolean };

/** The column of a field: `userId` is in `user_id`. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of fields, as they stand in a statement. */
export function columnsOf(fields: object): string {
  return Object.keys(fields).map(columnOf).join(", ");
}

/** The values of a record, in the order of {@linkcode columnsOf}. */
export function valuesOf<Entry>(fields: Fields<Entry>, entry: Entry): SqlValue[] {
  return Object.keys(fields).map((field) => entry[field as keyof Entry] as SqlValue);
}

/** The columns that make a user, without those of an application. */
export const USER_COLUMNS =
  "users.id, users.email, users.name, users.image, users.email_verified, users.role, users.roles";

/** The columns that make a session. */
export const SESSION_COLUMNS = "sessions.id AS session_id, sessions.created_at, " +
  "sessions.authenticated_at, sessions.refreshed_at, sessions.expires_at, sessions.tenant_id";

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/**
 * Returns true when the library itself reads a column of this name from a row, or writes such a
 * field of a user.
 */
function isTaken(name: string): boolean {
  const taken = `${USER_COLUMNS}, ${SESSION_COLUMNS}, emailVerified`.toLowerCase().split(/\W+/);
  return taken.includes(name.toLowerCase());
}

/**
 * Checks the names of an application's own columns of `users`. They become part of statements and keys
 * of objects, so nothing else passes.
 *
 * @throws {ConfigurationError} Naming the column and what to write.
 */
export function readUserColumns(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongOption("userColumns", value, "a list of column names");
  for (const [index, name] of value.entries()) {
    const field = `userColumns[${index}]`;
    if (typeof name !== "string" || !NAME.test(name) || name in {}) {
      throw wrongOption(field, name, "the name of a column: letters, digits and underscores");
    }
    if (isTaken(name)) {
      throw wrongOption(field, name, "a column of your own; users have this one already");
    }
    if (value.indexOf(name) !== index) {
      throw wrongOption(field, name, "each column once");
    }
  }
  return value;
}

/** A row in which integers are numbers again, but for those that no number holds. */
export function narrow(row: unknown): unknown {
  const entries = Object.entries(row as object).map(([column, value]) => {
    const number = typeof value === "bigint" ? Number(value) : value;
    return [column, Number.isSafeInteger(number) ? number : value];
  });
  return Object.fromEntries(entries);
}

/** Returns the name of a driver, for a message. */
export function driverName(handle: unknown): string {
  const name = Object(handle).constructor?.name;
  return name === "Object" || name === undefined ? "an object" : name;
}
