// deno-lint-ignore-file require-await -- the port speaks in promises

/**
 * Ended sessions of signed tokens, in SQL and in memory.
 *
 * @module
 */

import type { RevocationStore } from "../types/session.ts";
import type { SqlDatabase } from "./sql_database.ts";
import { changesOf, createSqlExecutor } from "./sql_executor.ts";

/** ?1 session id, ?2 now or what stands for it, ?3 until. */
const REVOKE = `INSERT INTO revocations (kind, id, revoked_at, expires_at)
VALUES ('session', ?1, ?2, ?3)
ON CONFLICT (kind, id) DO UPDATE SET expires_at =
  CASE WHEN excluded.expires_at > revocations.expires_at THEN excluded.expires_at
    ELSE revocations.expires_at END`;

/** ?1 id, ?2 until. */
const CLAIM = `INSERT INTO revocations (kind, id, revoked_at, expires_at)
VALUES ('session', ?1, 0, ?2) ON CONFLICT (kind, id) DO NOTHING`;

/**
 * ?1 user, ?2 before, ?3 until, ?4 spared session, ?5 when that began. A later moment that is stored already
 * stands, and so does a later end. A session that is over already is not spared: whoever ended it must
 * not see it come back because a request of its own was still running. It comes first: MariaDB reads what the columns
 * before it have become.
 */
const REVOKE_USER = `INSERT INTO revocations (kind, id, revoked_at, expires_at, spared_id)
VALUES ('user', ?1, ?2, ?3, ?4)
ON CONFLICT (kind, id) DO UPDATE SET
  spared_id = CASE WHEN revocations.revoked_at <= ?5 OR revocations.spared_id = excluded.spared_id
    THEN excluded.spared_id END,
  revoked_at = CASE WHEN excluded.revoked_at > revocations.revoked_at THEN excluded.revoked_at
    ELSE revocations.revoked_at END,
  expires_at = CASE WHEN excluded.expires_at > revocations.expires_at THEN excluded.expires_at
    ELSE revocations.expires_at END`;

/** ?1 session id, ?2 user, ?3 when the session began. */
const IS_REVOKED = `SELECT 1 AS found FROM revocations
WHERE (kind = 'session' AND id = ?1) OR (kind = 'user' AND id = ?2 AND revoked_at > ?3
  AND (spared_id IS NULL OR spared_id <> ?1)) LIMIT 1`;

/** ?1 user. */
const VALID_FROM = "SELECT revoked_at FROM revocations WHERE kind = 'user' AND id = ?1";

/**
 * A revocation store in a SQL database, in the table `revocations` of `authSchema`. With it sessions of
 * the strategy 'jwt' end at sign-out and with `endSessions()`, for one lookup in every request. What can
 * be forgotten is removed by the sweep of the storage over the same database, which sign-ins start.
 *
 * @param database A D1 binding, or an adapter with its shape.
 *
 * @example
 * ```ts
 * import { jwtSessions, type SessionConfig } from "@framework/auth";
 * import { authSchema, createSqlRevocationStore, type SqlDatabase } from "@framework/auth/storage";
 * import { sqlite } from "@framework/auth/sqlite";
 * import { equal } from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 *
 * function sessionOptions(env: { DB: SqlDatabase }): SessionConfig {
 *   return { strategy: jwtSessions, revocation: createSqlRevocationStore(env.DB) };
 * }
 *
 * using file = new DatabaseSync(":memory:"); // in the place of a D1 binding
 * file.exec(authSchema.up);
 * const { revocation } = sessionOptions({ DB: sqlite(file) });
 * await revocation?.revoke("s1", Date.now() + 60_000);
 * equal(await revocation?.isRevoked({ id: "s1", userId: "ada", startedAt: Date.now() }), true);
 * ```
 */
export function createSqlRevocationStore(database: SqlDatabase): RevocationStore {
  const { prepare, repeat, once } = createSqlExecutor(database);
  return {
    async revoke(sessionId, until) {
      await repeat("revoke the session", () => prepare(REVOKE).bind(sessionId, 0, until).run());
    },
    async revokeUser(userId, { before, until, except }) {
      await repeat(
        "revoke the sessions of the user",
        () =>
          prepare(REVOKE_USER).bind(
            userId,
            before,
            until,
            except?.id ?? null,
            except?.startedAt ?? 0,
          ).run(),
      );
    },
    isRevoked({ id, userId, startedAt }) {
      return repeat("read the revocations", async () => {
        return await prepare(IS_REVOKED).bind(id, userId, startedAt).first() !== null;
      });
    },
    validFrom(userId) {
      return repeat("read the revocations", async () => {
        const row = await prepare(VALID_FROM).bind(userId).first<{ revoked_at: unknown }>();
        return typeof row?.revoked_at === "number" ? row.revoked_at : 0;
      });
    },
    claim(id, until) {
      // A second try could not tell its own first one from another's.
      return once("claim an id", async () => {
        return changesOf(await prepare(CLAIM).bind(id, until).run()) > 0;
      });
    },
  };
}

interface Mark {
  before: number;
  until: number;
  spared: string | undefined;
}

/**
 * A revocation store that lives as long as the process, for tests and for trying things out. Nothing is
 * shared between two processes or two isolates, so a session that one of them ends goes on in the other.
 *
 * @param now The clock, in milliseconds since 1970, by which entries are forgotten. Default `Date.now`.
 *
 * @example
 * ```ts
 * import { createMemoryRevocationStore } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * const store = createMemoryRevocationStore();
 * const session = { id: "s1", userId: "ada", startedAt: Date.now() };
 * equal(await store.isRevoked(session), false);
 * await store.revoke("s1", Date.now() + 60_000);
 * equal(await store.isRevoked(session), true);
 * ```
 */
export function createMemoryRevocationStore(now: () => number = Date.now): RevocationStore {
  const sessions = new Map<string, number>();
  const users = new Map<string, Mark>();

  function forgetEnded(): void {
    const present = now();
    for (const [id, until] of sessions) if (until <= present) sessions.delete(id);
    for (const [id, { until }] of users) if (until <= present) users.delete(id);
  }

  return {
    async revoke(sessionId, until) {
      forgetEnded();
      sessions.set(sessionId, Math.max(until, sessions.get(sessionId) ?? 0));
    },
    async revokeUser(userId, { before, until, except }) {
      forgetEnded();
      const mark = users.get(userId);
      users.set(userId, {
        before: Math.max(before, mark?.before ?? 0),
        until: Math.max(until, mark?.until ?? 0),
        // One that is over already stays so.
        spared: mark === undefined || mark.before <= (except?.startedAt ?? 0) ||
            mark.spared === except?.id
          ? except?.id
          : undefined,
      });
    },
    async isRevoked({ id, userId, startedAt }) {
      if (sessions.has(id)) return true;
      const mark = users.get(userId);
      return mark !== undefined && mark.before > startedAt && mark.spared !== id;
    },
    async validFrom(userId) {
      return users.get(userId)?.before ?? 0;
    },
    async claim(id, until) {
      forgetEnded();
      if (sessions.has(id)) return false;
      sessions.set(id, until);
      return true;
    },
  };
}
