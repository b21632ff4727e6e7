import type { SqlDatabase } from "@framework/auth/storage";
import { firstBehind } from "./key_range.ts";
import { createKvNamespace, type KvEntry, type KvNamespace } from "./kv_namespace.ts";
import { freeRows } from "./row_locks.ts";

/** Table of the namespaces. */
export const KV_TABLES = `
CREATE TABLE IF NOT EXISTS framework_kv (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  metadata TEXT,
  expires_at INTEGER,
  PRIMARY KEY (namespace, key)
);
CREATE INDEX IF NOT EXISTS framework_kv_expiry ON framework_kv (expires_at)
  WHERE expires_at IS NOT NULL;`;

interface Row {
  key: string;
  value: Uint8Array<ArrayBuffer>;
  metadata: string | null;
  // deno-lint-ignore camelcase -- a column
  expires_at: number | null;
}

/**
 * Creates a namespace in the database. What is written can be read at once, by every process.
 *
 * @param database The database of the server.
 * @param namespace Name of the namespace.
 */
export function createKv(database: SqlDatabase, namespace: string): KvNamespace {
  return createKvNamespace({
    now: () => Date.now(),
    async read(keys) {
      const places = keys.map((_, index) => `?${index + 3}`).join(", ");
      const { results } = await database.prepare(
        "SELECT key, value, metadata, expires_at FROM framework_kv WHERE namespace = ?1 " +
          `AND (expires_at IS NULL OR expires_at > ?2) AND key IN (${places})`,
      ).bind(namespace, seconds(), ...keys).all<Row>();
      return new Map(results.map((row) => [row.key, { ...readRow(row), bytes: row.value }]));
    },
    async write(key, { bytes, metadata, expiration }) {
      const text = metadata === null ? null : JSON.stringify(metadata);
      await database.prepare(
        "INSERT INTO framework_kv (namespace, key, value, metadata, expires_at) VALUES (?1, ?2, ?3, ?4, ?5) " +
          "ON CONFLICT (namespace, key) DO UPDATE SET value = ?3, metadata = ?4, expires_at = ?5",
      ).bind(namespace, key, bytes, text, expiration ?? null).run();
    },
    async remove(key) {
      await database.prepare("DELETE FROM framework_kv WHERE namespace = ?1 AND key = ?2")
        .bind(namespace, key).run();
    },
    async page({ prefix, after, limit }) {
      const end = firstBehind(prefix);
      const { results } = await database.prepare(
        "SELECT key, metadata, expires_at FROM framework_kv WHERE namespace = ?1 AND key >= ?2 AND key > ?3 " +
          `AND (expires_at IS NULL OR expires_at > ?4) ${end === null ? "" : "AND key < ?6 "}` +
          "ORDER BY key LIMIT ?5",
      ).bind(namespace, prefix, after, seconds(), limit, ...(end === null ? [] : [end])).all<Row>();
      return results.map((row) => [row.key, readRow(row)]);
    },
  });
}

/**
 * Deletes keys that have expired, the oldest first, at most 500.
 *
 * @param database The database of the server.
 */
export async function sweepKv(database: SqlDatabase): Promise<void> {
  const place = database.dialect === undefined ? "rowid" : "ctid";
  const oldest =
    `SELECT ${place} FROM framework_kv WHERE expires_at <= ?1 ORDER BY expires_at LIMIT 500`;
  await database.prepare(
    `DELETE FROM framework_kv WHERE ${freeRows(database, place, oldest)}`,
  ).bind(seconds()).run();
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function readRow(row: Row): Omit<KvEntry, "bytes"> {
  return {
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    expiration: row.expires_at ?? undefined,
  };
}
