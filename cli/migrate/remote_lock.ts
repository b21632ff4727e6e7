import { CliError } from "../terminal/exit.ts";
import type { RemoteConnection, Rows } from "./remote_connection.ts";
import { quoteText } from "./remote_sql.ts";

/** How long a lock holds when nobody gives it back, in seconds. Each file renews it. */
const LOCK_SECONDS = 900;

/** The right to migrate the platform's database. */
export interface RemoteLock {
  /** What the first statements returned. */
  rows: Rows[];
  /** A statement that fails, and its file with it, once another process has taken the lock over. */
  fence: string;
  release(): Promise<void>;
}

/**
 * Takes the one row that only one process can hold.
 *
 * @param connection The database.
 * @param options `owner` is an id of this run; `before` and `after` are statements to run in the same request.
 * @throws {CliError} Exit code 1 when another process holds it.
 */
export async function lockRemote(
  connection: RemoteConnection,
  { owner, before, after }: { owner: string; before: string[]; after: string[] },
): Promise<RemoteLock> {
  const me = quoteText(owner);
  const results = await connection.query(
    [
      ...before,
      "CREATE TABLE IF NOT EXISTS framework_migration_lock(id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, expires_at INTEGER NOT NULL)",
      `INSERT INTO framework_migration_lock (id, owner, expires_at) VALUES (1, ${me}, unixepoch() + ${LOCK_SECONDS}) ` +
      "ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at WHERE expires_at < unixepoch()",
      "SELECT owner, expires_at - unixepoch() AS seconds FROM framework_migration_lock",
      ...after,
    ].join(";\n"),
  );
  const holder = results[before.length + 2]?.[0];
  if (holder?.["owner"] !== owner) {
    throw new CliError("Another process is migrating the remote database.", {
      hint: `Wait until it has finished. If it was killed, its lock ends in ${
        holder?.["seconds"] ?? LOCK_SECONDS
      } seconds.`,
    });
  }
  return {
    rows: results.slice(before.length + 3),
    fence:
      // The owner is null, which the column refuses, when the lock is not ours any more.
      `INSERT INTO framework_migration_lock (id, owner, expires_at) VALUES (1, ` +
      `(SELECT owner FROM framework_migration_lock WHERE owner = ${me}), unixepoch() + ${LOCK_SECONDS}) ` +
      "ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at",
    async release() {
      await connection.query(`DELETE FROM framework_migration_lock WHERE owner = ${me}`);
    },
  };
}
