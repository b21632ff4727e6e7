import type { User } from "../users/user.ts";
import type { SqlValue } from "./sql_database.ts";
import type { StoredSession, UserRecord } from "./storage.ts";

/** A row as the database gives it: nothing about its values is taken for granted. */
export type Row = Record<string, unknown>;

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}

function readRoles(value: unknown): string[] | null {
  if (typeof value !== "string") return null;
  if (value === "[]") return [];
  try {
    const roles: unknown = JSON.parse(value);
    return Array.isArray(roles) && roles.every((role) => typeof role === "string") ? roles : null;
  } catch {
    return null;
  }
}

/** The user in a row; null for a row with a value of the wrong type, which counts as no user. */
export function readUser(row: Row): User | null {
  const { id, email, name, image, email_verified: verified, role } = row;
  const roles = readRoles(row.roles);
  if (typeof id !== "string" || roles === null || !isTextOrNull(role)) return null;
  if (!isTextOrNull(email) || !isTextOrNull(name) || !isTextOrNull(image)) return null;
  if (verified !== null && !isTime(verified)) return null;
  const user: User = {
    id,
    email,
    name,
    image,
    emailVerified: verified === null ? null : new Date(verified),
  };
  if (role !== null) user.role = role;
  if (roles.length > 0) user.roles = roles;
  return user;
}

/** The session and its owner in a row; null for a row with a value of the wrong type. */
export function readStoredSession(row: Row): StoredSession | null {
  const user = readUser(row);
  const { session_id: id, created_at, authenticated_at, refreshed_at, expires_at } = row;
  if (user === null || typeof id !== "string") return null;
  if (!isTime(created_at) || !isTime(authenticated_at)) return null;
  if (!isTime(refreshed_at) || !isTime(expires_at)) return null;
  return {
    user,
    session: {
      id,
      userId: user.id,
      createdAt: created_at,
      authenticatedAt: authenticated_at,
      refreshedAt: refreshed_at,
      expiresAt: expires_at,
    },
  };
}

/** The values of a user's row, in the order of `INSERT_USER`. */
export function userValues(record: UserRecord): SqlValue[] {
  const { user, emailIdentity, at } = record;
  return [
    user.id,
    user.email ?? null,
    emailIdentity,
    user.name ?? null,
    user.image ?? null,
    user.emailVerified?.getTime() ?? null,
    user.role ?? null,
    JSON.stringify(user.roles ?? []),
    at,
  ];
}
