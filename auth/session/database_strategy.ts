import type { Logger } from "../config/logger.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import type {
  NewSessionRecord,
  SessionRecord,
  Storage,
  StoredSession,
} from "../storage/storage.ts";
import type { SessionState, ValidSession } from "./session_state.ts";
import type {
  MintedSession,
  MintOptions,
  ReadOptions,
  SessionStrategy,
  SessionTimes,
} from "./strategy.ts";
import { sweepNowAndThen } from "./sweep.ts";
import { ONE_COOKIE } from "./token_cookies.ts";
import { createSessionId, createSessionToken, hashSessionToken, isSessionToken } from "./token.ts";

/** What the strategy works with. */
export interface DatabaseStrategyOptions {
  /** Opens users and sessions. */
  storage: () => Storage;
  /** How long sessions last. */
  times: SessionTimes;
  /** Whether no sibling host can plant their cookie. */
  hostOnly: boolean;
  /** The clock. */
  now: () => number;
  /** Where failures are reported that end nothing. */
  logger: Logger;
}

const MAX_USER_AGENT = 256;

// What a browser sends at once has one cookie. A request of it that comes while the first is answered makes
// no further session; one that comes later does, since the answer may have been lost.
const AT_ONCE = 2_000;

/** How long the token from before an exchange goes on, in milliseconds: for requests that were under way. */
export const AFTER_EXCHANGE = 10_000;

/** Sessions in a database: the token is a random text, and its row says everything. */
export function createDatabaseStrategy(options: DatabaseStrategyOptions): SessionStrategy {
  const { storage, times, hostOnly, now, logger } = options;
  const { maxAge, updateAge, absoluteMaxAge } = times;

  /** The moment at which a session ends for good, under the present configuration. */
  function endOf(record: SessionRecord): number {
    return Math.min(record.expiresAt, record.createdAt + absoluteMaxAge);
  }

  /** The end of a session that is in use at this moment. */
  function movedEnd({ createdAt }: SessionRecord, at: number): number {
    return Math.min(at + maxAge, createdAt + absoluteMaxAge);
  }

  function stateOf({ user, session: record }: StoredSession, token: string): ValidSession {
    const { id, createdAt, authenticatedAt, tenantId } = record;
    const state: ValidSession = {
      status: "valid",
      id,
      startedAt: createdAt,
      authenticatedAt,
      // A session that was moved here by an exchange never had its proof.
      hostOnly: hostOnly && authenticatedAt > 0,
      session: { user, expires: new Date(endOf(record)) },
      token,
      renewed: false,
      claims: null,
    };
    if (tenantId !== undefined) state.tenantId = tenantId;
    return state;
  }

  /**
   * Moves the end of a session. One statement does it and only for the state that was read: of any number
   * of requests at once one writes, and a session that was ended meanwhile stays ended.
   */
  async function renew(stored: StoredSession, token: string, at: number): Promise<ValidSession> {
    const { session: record } = stored;
    const state = stateOf(stored, token);
    const expiresAt = movedEnd(record, at);
    if (expiresAt <= record.expiresAt) return state;
    try {
      const from = record.refreshedAt;
      state.renewed = await storage().renewSession(record.id, { from, at, expiresAt });
      if (state.renewed) state.session.expires = new Date(expiresAt);
    } catch (error) {
      // The session was read and is valid; that its end could not be moved is no reason to refuse it.
      logger.error("session-renewal-failed", { error });
    }
    return state;
  }

  /** A session to be stored, under a new name and a new token. */
  async function nameSession(
    { userAgent, ...record }: Omit<NewSessionRecord, "tokenHash" | "id">,
  ): Promise<{ token: string; session: NewSessionRecord }> {
    const token = createSessionToken();
    const session = {
      ...record,
      id: createSessionId(),
      tokenHash: await hashSessionToken(token),
      userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    };
    return { token, session };
  }

  /** Stored first, so that no failure and no lost answer leaves the browser without a session. */
  async function exchange(state: ValidSession, userAgent: string | null): Promise<ValidSession> {
    const at = now();
    try {
      const stored = await storage().readSession(await hashSessionToken(state.token));
      if (stored === null || at - stored.session.refreshedAt < AT_ONCE) return state;
      const { session: record } = stored;
      const { token, session } = await nameSession({
        ...record,
        userAgent,
        authenticatedAt: 0,
        refreshedAt: at,
        expiresAt: movedEnd(record, at),
      });
      if (await storage().insertSession(session) === null) return state;
      const { refreshedAt: from } = record;
      const expiresAt = Math.min(record.expiresAt, at + AFTER_EXCHANGE);
      if (await storage().renewSession(record.id, { from, at, expiresAt })) {
        const expires = new Date(session.expiresAt);
        return {
          ...state,
          id: session.id,
          session: { ...state.session, expires },
          token,
          renewed: true,
        };
      }
      // Another request was faster, or it was ended meanwhile.
      await storage().deleteSession(session.tokenHash);
    } catch (error) {
      logger.error("session-renewal-failed", { error });
    }
    return state;
  }

  async function end(token: string): Promise<void> {
    if (isSessionToken(token)) await storage().deleteSession(await hashSessionToken(token));
  }

  function judge(
    stored: StoredSession | null,
    token: string,
    how: ReadOptions,
  ): SessionState | Promise<SessionState> {
    // A storage of the application's own may answer nonsense: without an owner it is no session.
    if (stored === null || !stored.user?.id) return { status: "invalid" };
    const { session: record } = stored;
    const at = now();
    // Written so that an end which is no number is over, too.
    if (!(endOf(record) > at)) {
      how.waitUntil(end(token));
      return { status: "expired" };
    }
    const isDue = how.renew && at - record.refreshedAt >= updateAge;
    return isDue ? renew(stored, token, at) : stateOf(stored, token);
  }

  function read(token: string, how: ReadOptions): SessionState | Promise<SessionState> {
    if (!isSessionToken(token)) return { status: "invalid" };
    function readBy(hash: string): SessionState | Promise<SessionState> {
      const stored = storage().readSession(hash);
      return stored !== null && "then" in stored
        ? Promise.resolve(stored).then((found) => judge(found, token, how))
        : judge(stored, token, how);
    }

    const hash = hashSessionToken(token);
    return typeof hash === "string" ? readBy(hash) : hash.then(readBy);
  }

  return {
    name: "database",
    cookies: ONE_COOKIE,
    revocable: true,
    read,
    // The user is read with the session each time, so nothing can be newer.
    update: read,
    async begin(mint: MintOptions): Promise<MintedSession> {
      const { userId, owner, save, tenantId, replaces, userAgent, waitUntil } = mint;
      const at = now();
      const lifetime = Math.min(maxAge, absoluteMaxAge);
      const { token, session } = await nameSession({
        userId,
        userAgent,
        createdAt: at,
        authenticatedAt: at,
        refreshedAt: at,
        expiresAt: at + lifetime,
        tenantId,
      });
      const inserted = await storage().insertSession(session, {
        ...save,
        owner,
        replaces: replaces !== undefined && isSessionToken(replaces)
          ? await hashSessionToken(replaces)
          : undefined,
      });
      if (inserted === null) throw new UserUnavailableError();
      sweepNowAndThen(storage(), { now: at, waitUntil });
      const { user, created } = inserted;
      return { ...stateOf({ user, session }, token), created, lifetime };
    },
    exchange,
    end,
    async endAll(userId, { except, tenantId } = {}) {
      await storage().deleteSessions(userId, { exceptId: except?.id, tenantId });
    },
    endOf,
  };
}
