import { type Check, isText, isTextOrNull, type Row } from "./rows.ts";
import type { SessionListStorage } from "./session_list_storage.ts";
import { changesOf } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import { SESSION_COLUMNS } from "./sql_columns.ts";
import type { ListedSession } from "./storage.ts";

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
export function createSessionListOperations(
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
