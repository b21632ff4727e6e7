import type { Logger } from "../config/logger.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import type { SessionRecord, Storage } from "../storage/storage.ts";
import type { SessionState } from "./session_state.ts";
import type {
  MintedSession,
  MintOptions,
  ReadOptions,
  SessionStrategy,
  SessionTimes,
} from "./strategy.ts";
import { sweepNowAndThen } from "./sweep.ts";
import { createSessionId, createSessionToken, hashSessionToken, isSessionToken } from "./token.ts";

/** What the strategy works with. */
export interface DatabaseStrategyOptions {
  /** Where users and sessions are. */
  storage: Storage;
  /** How long sessions last. */
  times: SessionTimes;
  /** The clock. */
  now: () => number;
  /** Where failures are reported that end nothing. */
  logger: Logger;
}

const MAX_USER_AGENT = 256;
// Nobody reads more than this, and a list must not grow with the number of sign-ins.
const MAX_LISTED = 100;

/** Sessions in a database: the token is a random text, and its row says everything. */
export function createDatabaseStrategy(options: DatabaseStrategyOptions): SessionStrategy {
  const { storage, times, now, logger } = options;
  const { maxAge, updateAge, absoluteMaxAge } = times;

  /** The moment at which a session ends for good, under the present configuration. */
  function endOf(record: SessionRecord): number {
    return Math.min(record.expiresAt, record.createdAt + absoluteMaxAge);
  }

  /**
   * Moves the end of a session, when it is time. One statement does it and only for the state that was
   * read: of any number of requests at once one writes, and a session that was ended meanwhile stays ended.
   *
   * @returns The new end, or null when nothing was moved.
   */
  async function renew(record: SessionRecord, at: number): Promise<number | null> {
    if (at - record.refreshedAt < updateAge) return null;
    const expiresAt = Math.min(at + maxAge, record.createdAt + absoluteMaxAge);
    if (expiresAt <= record.expiresAt) return null;
    try {
      const won = await storage.renewSession(record.id, {
        from: record.refreshedAt,
        at,
        expiresAt,
      });
      return won ? expiresAt : null;
    } catch (error) {
      // The session was read and is valid; that its end could not be moved is no reason to refuse it.
      logger.error("session-renewal-failed", { error });
      return null;
    }
  }

  async function read(token: string, { renew: mayRenew, waitUntil }: ReadOptions) {
    const tokenHash = hashSessionToken(token);
    const stored = await storage.readSession(tokenHash);
    // A storage of the application's own may answer nonsense: without an owner it is no session.
    if (stored === null || !stored.user?.id) return { status: "invalid" } as const;
    const { session: record, user } = stored;
    const at = now();
    // Written so that an end which is no number is over, too.
    if (!(endOf(record) > at)) {
      waitUntil(storage.deleteSession(tokenHash));
      return { status: "expired" } as const;
    }
    const renewedEnd = mayRenew ? await renew(record, at) : null;
    const state: SessionState = {
      status: "valid",
      id: record.id,
      startedAt: record.createdAt,
      authenticatedAt: record.authenticatedAt,
      ...(record.tenantId !== undefined && { tenantId: record.tenantId }),
      session: { user, expires: new Date(renewedEnd ?? endOf(record)) },
      token,
      renewed: renewedEnd !== null,
      claims: null,
    };
    return state;
  }

  function readToken(token: string, how: ReadOptions): SessionState | Promise<SessionState> {
    return isSessionToken(token) ? read(token, how) : { status: "invalid" };
  }

  return {
    name: "database",
    revocable: true,
    read: readToken,
    // The user is read with the session each time, so nothing can be newer.
    update: readToken,
    async begin(mint: MintOptions): Promise<MintedSession> {
      const { userId, owner, save, tenantId, replaces, userAgent, waitUntil } = mint;
      const at = now();
      const lifetime = Math.min(maxAge, absoluteMaxAge);
      const id = createSessionId();
      const token = createSessionToken();
      const inserted = await storage.insertSession({
        id,
        tokenHash: hashSessionToken(token),
        userId,
        userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
        createdAt: at,
        authenticatedAt: at,
        refreshedAt: at,
        expiresAt: at + lifetime,
        ...(tenantId !== undefined && { tenantId }),
      }, {
        ...save,
        ...(owner !== undefined && { owner }),
        ...(replaces !== undefined && isSessionToken(replaces) &&
          { replaces: hashSessionToken(replaces) }),
      });
      if (inserted === null) throw new UserUnavailableError();
      sweepNowAndThen(storage, { now: at, waitUntil });
      return {
        status: "valid",
        id,
        startedAt: at,
        authenticatedAt: at,
        ...(tenantId !== undefined && { tenantId }),
        session: { user: inserted.user, expires: new Date(at + lifetime) },
        token,
        renewed: false,
        claims: null,
        created: inserted.created,
        lifetime,
      };
    },
    async end(token) {
      if (isSessionToken(token)) await storage.deleteSession(hashSessionToken(token));
    },
    async endAll(userId, { except, tenantId } = {}) {
      await storage.deleteSessions(userId, {
        ...(except !== undefined && { exceptId: except.id }),
        ...(tenantId !== undefined && { tenantId }),
      });
    },
    async list(userId) {
      const at = now();
      const stored = await storage.listSessions(userId, { now: at, limit: MAX_LISTED });
      return stored.map((record) => ({ ...record, expiresAt: endOf(record) }))
        .filter(({ expiresAt }) => expiresAt > at);
    },
  };
}
