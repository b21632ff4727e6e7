import type { Row } from "./rows.ts";
import type { SqlStatement } from "./sql_database.ts";
import { changesOf } from "./sql_executor.ts";
import type { SqlParts } from "./sql_parts.ts";
import { sweepRows, sweepText } from "./sql_sweep.ts";
import * as text from "./sql_text.ts";
import { conditionValues, saveBatch, saveStatements } from "./sql_users.ts";
import type {
  DeleteSessionsOptions,
  InsertSessionOptions,
  NewSessionRecord,
  Storage,
  StoredSession,
} from "./storage.ts";

/** The part of the storage that is about sessions. */
export type SessionOperations = Pick<
  Storage,
  | "insertSession"
  | "readSession"
  | "renewSession"
  | "deleteSession"
  | "deleteSessions"
  | "sweep"
>;

/** Makes the operations. */
export function createSessionOperations(parts: SqlParts): SessionOperations {
  const { executor, reader, statements } = parts;
  const { prepare, readNow, repeat, once } = executor;

  function stored(row: Row | null): StoredSession | null {
    return row === null ? null : reader.storedSession(row);
  }

  function insertionStatements(
    session: NewSessionRecord,
    { owner, replaces, ...options }: InsertSessionOptions,
  ): SqlStatement[] {
    return [
      ...saveStatements(parts, owner, options),
      prepare(statements.insertSession).bind(
        session.id,
        session.tokenHash,
        session.userId,
        session.userAgent,
        session.createdAt,
        session.authenticatedAt,
        session.refreshedAt,
        session.expiresAt,
        ...conditionValues(options),
        session.tenantId ?? null,
      ),
      ...(replaces === undefined ? [] : [prepare(text.REPLACE_SESSION).bind(replaces, session.id)]),
      prepare(statements.selectSessionOwner).bind(session.id),
    ];
  }

  return {
    insertSession(session, options = {}) {
      return once("store the session", async () => {
        try {
          const results = await saveBatch(executor, insertionStatements(session, options));
          const row = results.at(-1)?.results[0] as Row | undefined;
          const user = row === undefined ? null : reader.user(row);
          if (user === null) return null;
          return { user, created: options.owner !== undefined && results[0]!.results.length > 0 };
        } catch (error) {
          if (executor.failureOf(error) === "owner-gone") return null;
          throw error;
        }
      });
    },
    readSession(tokenHash) {
      const sql = statements.readSession;
      const row = readNow<Row>(sql, tokenHash);
      if (row !== undefined) return stored(row);
      return repeat(
        "read the session",
        () => prepare(sql).bind(tokenHash).first<Row>().then(stored),
      );
    },
    renewSession(id, options) {
      return repeat("renew the session", async () => {
        const { from, at, expiresAt } = options;
        const renewed = await prepare(text.RENEW_SESSION).bind(id, from, at, expiresAt).run();
        return changesOf(renewed) === 1;
      });
    },
    deleteSession(tokenHash) {
      return repeat("end the session", async () => {
        return changesOf(await prepare(text.DELETE_SESSION).bind(tokenHash).run()) > 0;
      });
    },
    deleteSessions(userId, { exceptId = "", tenantId = null }: DeleteSessionsOptions = {}) {
      return repeat("end the sessions", async () => {
        const deletion = prepare(text.DELETE_SESSIONS).bind(userId, exceptId, tenantId);
        return changesOf(await deletion.run());
      });
    },
    async sweep(now, limit) {
      const sweeps = text.ENDING.map((table) => sweepText(table, parts.dialect));
      if (executor.inProcess) {
        let removed = 0;
        for (const sql of sweeps) removed += await sweepRows(executor, sql, { now, limit });
        return removed;
      }
      return repeat("remove what has ended", async () => {
        const results = await executor.batch(sweeps.map((sql) => prepare(sql).bind(now, limit)));
        return results.reduce((sum, result) => sum + changesOf(result), 0);
      });
    },
  };
}
