import { findRunningRequest } from "../request/running_request.ts";
import type { SqlDialect } from "./sql_dialect.ts";
import { changesOf, pause, type SqlExecutor } from "./sql_executor.ts";

/**
 * The statement that removes what has ended from a table: ?1 now, ?2 how many rows at most. It begins with the oldest,
 * so that it goes by the index of the end, whatever is known of how many there are.
 *
 * @param column When a row ends.
 */
export function sweepText(
  table: string,
  dialect: SqlDialect | undefined,
  column: string = "expires_at",
): string {
  return dialect?.sweep?.(table, column) ?? `DELETE FROM ${table} WHERE rowid IN
(SELECT rowid FROM ${table} WHERE ${column} <= ?1 ORDER BY ${column} LIMIT ?2)`;
}

// A few milliseconds of a database in the process, of which most is the end of the transaction.
const CHUNK = 20;

/**
 * Removes what has ended before `now`, at most `limit` rows; returns how many. A database in the process keeps all
 * others waiting while it works, so there it is done piece by piece.
 *
 * @param sql What {@linkcode sweepText} says.
 */
export async function sweepRows(
  { prepare, repeat, inProcess }: SqlExecutor,
  sql: string,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const size = inProcess ? CHUNK : limit;
  let removed = 0;
  for (let left = limit; left > 0; left -= size) {
    const rows = Math.min(left, size);
    const changes = await repeat(
      "remove what has ended",
      async () => changesOf(await prepare(sql).bind(now, rows).run()),
    );
    removed += changes;
    if (changes < rows) break;
    if (inProcess) await pause(0);
  }
  return removed;
}

/** Leaves work to the request in which it is begun, which reports its failure; without one nobody is told. */
export function inBackground(work: Promise<unknown>): void {
  const request = findRunningRequest();
  if (request === undefined) work.catch(() => {});
  else request.waitUntil(work);
}
