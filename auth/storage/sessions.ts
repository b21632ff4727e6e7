/**
 * The list of a user's sessions: port, SQL and accessor.
 *
 * @module
 */

import type { SqlParts, StorageGroup } from "./group.ts";
import { type Check, isText, isTextOrNull, type Row, SESSION_COLUMNS } from "./rows.ts";
import { changesOf } from "./sql_executor.ts";
import type { ListedSession, ListSessionsOptions } from "./records.ts";

/** Operations on the list of a user's sessions. */
export interface SessionListStorage {
  /** Lists the sessions of a user that have not ended, the one renewed last first. Safe to repeat. */
  listSessions(userId: string, options: ListSessionsOptions): Promise<ListedSession[]>;
  /** Ends the session of this user with this id; false when the user has no such session. Safe to repeat. */
  deleteSessionById(userId: string, id: string): Promise<boolean>;
}

/** The statements. */
function writeStatements() {
  return {
    /** ?1 user, ?2 now, ?3 limit. */
    list: `SELECT ${SESSION_COLUMNS}, sessions.user_id, sessions.user_agent
FROM sessions WHERE sessions.user_id = ?1 AND sessions.expires_at > ?2
ORDER BY sessions.refreshed_at DESC, sessions.id LIMIT ?3`,
    /** ?1 user, ?2 session id. */
    deleteById: "DELETE FROM sessions WHERE user_id = ?1 AND id = ?2",
  };
}

// Pure, so that a bundle which has no use for them leaves them out.
const text = /* @__PURE__ */ writeStatements();

// Beside what every session's row is checked for.
const CHECKS: readonly Check[] = [["user_id", isText], ["user_agent", isTextOrNull]];

/** Makes the operations that a list of sessions needs. */
function createSessionListOperations(
  { executor: { prepare, repeat }, reader }: SqlParts,
): SessionListStorage {
  function readSession(row: Row): ListedSession | null {
    const session = reader.holds(row, CHECKS) ? reader.session(row, row.user_id as string) : null;
    return session && { ...session, userAgent: row.user_agent as string | null };
  }

  return {
    listSessions(userId, { now, limit }) {
      return repeat("list the sessions", async () => {
        const { results } = await prepare(text.list).bind(userId, now, limit).all<Row>();
        return results.map(readSession).filter((session) => session !== null);
      });
    },
    deleteSessionById(userId, id) {
      return repeat("end the session", async () => {
        return changesOf(await prepare(text.deleteById).bind(userId, id).run()) > 0;
      });
    },
  };
}

/**
 * Group of operations on a list of sessions, for `groupOf()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage, groupOf, sessionListGroup } from "@framework/auth/storage";
 * import { deepEqual } from "node:assert/strict";
 *
 * const list = groupOf(createMemoryStorage(), sessionListGroup);
 * deepEqual(await list.listSessions("ada", { now: Date.now(), limit: 10 }), []);
 * ```
 */
export const sessionListGroup: StorageGroup<SessionListStorage> = {
  name: "sessionList",
  sql: createSessionListOperations,
};
