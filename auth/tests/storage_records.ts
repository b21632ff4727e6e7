import type { NewSessionRecord, UserRecord } from "../storage/storage.ts";
import type { User } from "../users/user.ts";

/** When everything in the cases happens. */
export const NOW: number = Date.UTC(2026, 0, 1);
/** Milliseconds. */
export const HOUR: number = 60 * 60 * 1000;

/** A user to be stored, whose mailbox is the lower-case address. */
export function record(user: User, at: number = NOW): UserRecord {
  return { user, emailIdentity: user.email?.toLowerCase() ?? null, at };
}

/** A session to be stored, of one hour. */
export function session(
  id: string,
  userId: string,
  changes: Partial<NewSessionRecord> = {},
): NewSessionRecord {
  return {
    id,
    userId,
    tokenHash: `hash-of-${id}`,
    userAgent: "Test/1.0",
    createdAt: NOW,
    authenticatedAt: NOW,
    refreshedAt: NOW,
    expiresAt: NOW + HOUR,
    ...changes,
  };
}
