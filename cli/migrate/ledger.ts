import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Migration } from "./migration_files.ts";

/** A record of an applied migration. */
export interface LedgerEntry {
  name: string;
  /** When it was applied, as SQLite wrote it (UTC). */
  appliedAt: string;
  /** Checksum of the file as applied; undefined when wrangler applied it. */
  checksum: string | undefined;
}

/**
 * Makes the two tables: wrangler's own, exactly as wrangler makes it, so that both tools agree on what is
 * applied; and the checksums beside it.
 *
 * @param database The database, inside a transaction.
 * @param table Name of wrangler's table.
 */
export function createLedger(database: DatabaseSync, table: string): void {
  database.exec(`CREATE TABLE IF NOT EXISTS ${quote(table)}(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`);
  database.exec(
    "CREATE TABLE IF NOT EXISTS framework_migrations(name TEXT PRIMARY KEY, checksum TEXT NOT NULL)",
  );
}

/**
 * Reads what is applied, in the order in which it was.
 *
 * @param database The database; tables that do not exist hold nothing.
 * @param table Name of wrangler's table.
 */
export function readLedger(database: DatabaseSync, table: string): LedgerEntry[] {
  if (!hasTable(database, table)) return [];
  const checksum = hasTable(database, "framework_migrations")
    ? "(SELECT checksum FROM framework_migrations f WHERE f.name = d.name)"
    : "NULL";
  const rows = database
    .prepare(
      `SELECT d.name, d.applied_at, ${checksum} AS checksum FROM ${quote(table)} d ORDER BY d.id`,
    )
    .all() as Record<string, unknown>[];
  return rows.map((row) => ({
    name: String(row["name"]),
    appliedAt: String(row["applied_at"]),
    checksum: typeof row["checksum"] === "string" ? row["checksum"] : undefined,
  }));
}

/**
 * Records that a migration was applied.
 *
 * @param database The database, inside the transaction that applied it.
 * @param table Name of wrangler's table.
 * @param migration The file.
 */
export function recordMigration(database: DatabaseSync, table: string, migration: Migration): void {
  database.prepare(`INSERT INTO ${quote(table)} (name) VALUES (?)`).run(migration.name);
  recordChecksum(database, migration);
}

/**
 * Records the checksum of a file, also for one that wrangler applied: later changes are then noticed.
 *
 * @param database The database, inside a transaction.
 * @param migration The file.
 */
export function recordChecksum(database: DatabaseSync, migration: Migration): void {
  database
    .prepare("INSERT OR REPLACE INTO framework_migrations (name, checksum) VALUES (?, ?)")
    .run(migration.name, checksumOf(migration.sql));
}

/**
 * SHA-256 of a migration's text, in hex. Line ends count as one character, because git may change them.
 *
 * @param sql The text.
 */
export function checksumOf(sql: string): string {
  return createHash("sha256").update(sql.replaceAll("\r\n", "\n")).digest("hex");
}

function hasTable(database: DatabaseSync, table: string): boolean {
  const query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
  return database.prepare(query).get(table) !== undefined;
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
