import type { Settings } from "../config/settings.ts";
import { randomBytes } from "../crypto/token.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import type { Session } from "../session/session.ts";
import { createSessionId, createSessionToken, hashSessionToken } from "../session/token.ts";
import type { UserRecord } from "../storage/storage.ts";

/** For whom a session is made, and in place of what. */
export interface MintOptions {
  /** Its owner. */
  userId: string;
  /** The owner as the sign-in method describes it, to be stored in the same transaction. */
  owner?: UserRecord;
  /** The token of the session that the browser has now. It ends. */
  replaces?: string;
  /** The browser's name, or null. */
  userAgent: string | null;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

/** A session that has just begun. */
export interface MintedSession {
  /** For the cookie, and for nothing else. */
  token: string;
  /** The session. */
  session: Session;
  /** Whether this sign-in made the user. */
  created: boolean;
  /** Milliseconds until the session ends. */
  lifetime: number;
}

const MAX_USER_AGENT = 256;
const SWEEP_ROWS = 500;

/** On about one sign-in in a hundred, so that ended sessions do not pile up. */
function isSweepDue(): boolean {
  return randomBytes(1)[0]! < 3;
}

/**
 * The one place where a session comes into being, whatever the way to sign in. Always a new token: what
 * the browser brought along, planted or not, never becomes a session.
 *
 * @throws {UserUnavailableError} When the owner does not exist or is disabled.
 */
export async function mintSession(
  settings: Settings,
  options: MintOptions,
): Promise<MintedSession> {
  const { userId, owner, replaces, userAgent, waitUntil } = options;
  const now = settings.now();
  const { maxAge, absoluteMaxAge } = settings.times;
  const lifetime = Math.min(maxAge, absoluteMaxAge);
  const token = createSessionToken();
  const inserted = await settings.storage.insertSession({
    id: createSessionId(),
    tokenHash: hashSessionToken(token),
    userId,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    createdAt: now,
    authenticatedAt: now,
    refreshedAt: now,
    expiresAt: now + lifetime,
  }, {
    ...(owner !== undefined && { owner }),
    ...(replaces !== undefined && { replaces: hashSessionToken(replaces) }),
  });
  if (inserted === null) throw new UserUnavailableError();
  if (isSweepDue()) waitUntil(settings.storage.sweep(now, SWEEP_ROWS));
  return {
    token,
    session: { user: inserted.user, expires: new Date(now + lifetime) },
    created: inserted.created,
    lifetime,
  };
}
