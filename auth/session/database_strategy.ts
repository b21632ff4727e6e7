/**
 * The session strategy that stores sessions in a database.
 *
 * @module
 */

import type {
  MintedSession,
  MintOptions,
  ReadOptions,
  SessionStrategy,
  SessionStrategyDefinition,
  SessionTimes,
  StrategyParts,
} from "../core/session_strategy.ts";
import { ConfigurationError, UserUnavailableError } from "../errors.ts";
import { toBase64Url } from "../lib/encoding.ts";
import { hashText } from "../lib/hash.ts";
import type { Logger } from "../lib/logger.ts";
import { wrongOption } from "../lib/options.ts";
import { createSecret, isSecret, randomBytes } from "../lib/secret.ts";
import type { NewSessionRecord, SessionRecord, StoredSession } from "../storage/records.ts";
import type { Storage } from "../storage/storage.ts";
import type { SessionState, ValidSession } from "../types/session.ts";
import { ONE_COOKIE } from "./cookie.ts";

/** Options for the database strategy. */
export interface DatabaseStrategyOptions {
  /** Opens users and sessions. */
  storage: () => Storage;
  /** Lifetimes of sessions. */
  times: SessionTimes;
  /** True when no sibling host can plant the session cookie. */
  hostOnly: boolean;
  /** The clock. */
  now: () => number;
  /** Logger for failures that are not fatal. */
  logger: Logger;
}

// What a browser sends at once has one cookie. A request of it that comes while the first is answered makes
// no further session; one that comes later does, since the answer may have been lost.
const AT_ONCE = 2_000;

/**
 * Time that the previous token remains valid after an exchange, in milliseconds, for requests in
 * flight.
 */
export const AFTER_EXCHANGE = 10_000;

/** Sessions in a database: the token is a random text, and its row says everything. */
function createDatabaseStrategy(options: DatabaseStrategyOptions): SessionStrategy {
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
    const { id, createdAt, authenticatedAt, tenantId, device } = record;
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
      device,
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
    const token = createSecret();
    const session = {
      ...record,
      id: createSessionId(),
      tokenHash: await hashText(token),
      userAgent: userAgent?.slice(0, 256) ?? null,
    };
    return { token, session };
  }

  /** Stored first, so that no failure and no lost answer leaves the browser without a session. */
  async function exchange(state: ValidSession, userAgent: string | null): Promise<ValidSession> {
    const at = now();
    try {
      const stored = await storage().readSession(await hashText(state.token));
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
    if (isSecret(token)) await storage().deleteSession(await hashText(token));
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
    const isDue = at - record.refreshedAt >= updateAge && how.mayRenew?.();
    return isDue ? renew(stored, token, at) : stateOf(stored, token);
  }

  function read(token: string, how: ReadOptions): SessionState | Promise<SessionState> {
    if (!isSecret(token)) return { status: "invalid" };
    function readBy(hash: string): SessionState | Promise<SessionState> {
      const stored = storage().readSession(hash);
      return stored !== null && "then" in stored
        ? Promise.resolve(stored).then((found) => judge(found, token, how))
        : judge(stored, token, how);
    }

    const hash = hashText(token);
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
        replaces: replaces !== undefined && isSecret(replaces)
          ? await hashText(replaces)
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

/**
 * Makes the strategy that the options name; without a `session` block 'database', when there is one.
 *
 * @param chosen What stands in `session.strategy`; null when nothing does.
 * @throws {ConfigurationError} When what the strategy needs is not configured.
 */
export function createStrategy(
  chosen: "database" | SessionStrategyDefinition | null,
  parts: StrategyParts,
): SessionStrategy {
  if (chosen !== null && chosen !== "database") return chosen.create(parts);
  const { storage, times, hostOnly, now, logger, revocation } = parts;
  if (revocation !== undefined) {
    throw wrongOption(
      "session.revocation",
      revocation,
      "it only with jwtSessions: sessions in a database are ended there",
    );
  }
  if (storage !== null) return createDatabaseStrategy({ storage, times, hostOnly, now, logger });
  const found = chosen === null
    ? "No session storage is configured"
    : 'The session strategy "database" needs a database';
  throw new ConfigurationError(
    `${found}: configure \`database\`, or \`secret\` and session: { strategy: jwtSessions }`,
    { field: "database" },
  );
}

/** The public name of a session: 16 random bytes, base64url. */
export function createSessionId(): string {
  return toBase64Url(randomBytes(16));
}

/** On about one sign-in in a hundred, removes what has ended, in the background, so that it does not pile up. */
export function sweepNowAndThen(
  storage: Storage,
  { now, waitUntil }: { now: number; waitUntil(work: Promise<unknown>): void },
): void {
  if (randomBytes(1)[0]! < 3) waitUntil(storage.sweep(now, 500));
}
