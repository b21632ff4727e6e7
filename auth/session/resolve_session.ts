import type { Settings } from "../config/settings.ts";
import type { SessionRecord } from "../storage/storage.ts";
import { readCookie } from "./read_cookie.ts";
import type { Session } from "./session.ts";
import { hashSessionToken, isSessionToken } from "./token.ts";

/** What is known about the session of a request. */
export type SessionState =
  /** No session cookie came. */
  | { status: "none" }
  | {
    status: "valid";
    session: Session;
    token: string;
    /** Whether this request has moved the session's end, so that the cookie is to be sent again. */
    renewed: boolean;
  }
  /** There was a session and its time is over. */
  | { status: "expired" }
  /** A cookie came that opens nothing: unknown, malformed, ended, or two that contradict each other. */
  | { status: "invalid" };

/** How a session is read. */
export interface ResolveOptions {
  /** Whether its end may be moved. */
  renew: boolean;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
}

/** The session token of a request: null without one, "invalid" for what can be none. */
export function readSessionToken(request: Request, cookieName: string): string | null | "invalid" {
  const reading = readCookie(request.headers.get("cookie"), cookieName);
  if (reading.found === "none") return null;
  return reading.found === "one" && isSessionToken(reading.value) ? reading.value : "invalid";
}

/** The moment at which a session ends for good, under the present configuration. */
function endOf(record: SessionRecord, settings: Settings): number {
  return Math.min(record.expiresAt, record.createdAt + settings.times.absoluteMaxAge);
}

/**
 * Moves the end of a session, when it is time. One statement does it and only for the state that was
 * read: of any number of requests at once one writes, and a session that was ended meanwhile stays ended.
 *
 * @returns The new end, or null when nothing was moved.
 */
async function renew(
  record: SessionRecord,
  settings: Settings,
  now: number,
): Promise<number | null> {
  const { maxAge, updateAge, absoluteMaxAge } = settings.times;
  if (now - record.refreshedAt < updateAge) return null;
  const expiresAt = Math.min(now + maxAge, record.createdAt + absoluteMaxAge);
  if (expiresAt <= record.expiresAt) return null;
  try {
    const won = await settings.storage.renewSession(record.id, {
      from: record.refreshedAt,
      at: now,
      expiresAt,
    });
    return won ? expiresAt : null;
  } catch (error) {
    // The session was read and is valid; that its end could not be moved is no reason to refuse it.
    settings.logger.error("session-renewal-failed", { error });
    return null;
  }
}

/**
 * Finds out whose session a request carries: one statement, and none without a cookie.
 *
 * @throws {StorageUnavailableError} When the database does not answer. That is never "signed in".
 */
export async function resolveSession(
  request: Request,
  settings: Settings,
  options: ResolveOptions,
): Promise<SessionState> {
  const token = readSessionToken(request, settings.cookie.name);
  if (token === null) return { status: "none" };
  if (token === "invalid") return { status: "invalid" };
  const tokenHash = hashSessionToken(token);
  const stored = await settings.storage.readSession(tokenHash);
  if (stored === null) return { status: "invalid" };
  const now = settings.now();
  if (endOf(stored.session, settings) <= now) {
    options.waitUntil(settings.storage.deleteSession(tokenHash));
    return { status: "expired" };
  }
  const renewedEnd = options.renew ? await renew(stored.session, settings, now) : null;
  const expires = new Date(renewedEnd ?? endOf(stored.session, settings));
  return {
    status: "valid",
    session: { user: stored.user, expires },
    token,
    renewed: renewedEnd !== null,
  };
}
