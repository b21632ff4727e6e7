import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Migration } from "./files.ts";
import type { FileStatement } from "./statements.ts";

/** A record of an applied migration. */
export interface LedgerEntry {
  name: string;
  /** Time of application, as SQLite wrote it (UTC). */
  appliedAt: string;
  /** Checksum of the file as applied; undefined when wrangler applied it. */
  checksum: string | undefined;
}

/**
 * Creates the two tables: wrangler's own, exactly as wrangler creates it, so that both tools agree
 * on what is applied, and the table of checksums.
 *
 * @param database The database, inside a transaction.
 * @param table Name of wrangler's table.
 */
export function createLedger(database: DatabaseSync, table: string): void {
  for (const statement of ledgerTables(table)) database.exec(statement);
}

/**
 * Returns the statements that create the two tables of {@linkcode createLedger}.
 *
 * @param table Name of wrangler's table.
 */
export function ledgerTables(table: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoteName(table)}(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`,
    "CREATE TABLE IF NOT EXISTS framework_migrations(name TEXT PRIMARY KEY, checksum TEXT NOT NULL)",
  ];
}

/**
 * Reads the applied migrations, in order of application.
 *
 * @param database The database; tables that do not exist hold nothing.
 * @param table Name of wrangler's table.
 */
export function readLedger(database: DatabaseSync, table: string): LedgerEntry[] {
  if (!hasTable(database, table)) return [];
  const query = ledgerQuery(table, hasTable(database, "framework_migrations"));
  return toLedger(database.prepare(query).all() as Record<string, unknown>[]);
}

/**
 * Returns the query for the applied migrations; {@linkcode toLedger} reads its rows.
 *
 * @param table Name of wrangler's table.
 * @param hasChecksums Whether the table of the checksums exists.
 */
export function ledgerQuery(table: string, hasChecksums: boolean): string {
  const checksum = hasChecksums
    ? "(SELECT checksum FROM framework_migrations f WHERE f.name = d.name)"
    : "NULL";
  return `SELECT d.name, d.applied_at, ${checksum} AS checksum FROM ${
    quoteName(table)
  } d ORDER BY d.id`;
}

/** Converts rows of {@linkcode ledgerQuery} to entries. */
export function toLedger(rows: Record<string, unknown>[]): LedgerEntry[] {
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
  database.prepare(`INSERT INTO ${quoteName(table)} (name) VALUES (?)`).run(migration.name);
  recordChecksum(database, migration);
}

/**
 * Removes the record of a reverted migration.
 *
 * @param database The database, inside the transaction that took it back.
 * @param table Name of wrangler's table.
 * @param name Name of the file.
 */
export function forgetMigration(database: DatabaseSync, table: string, name: string): void {
  database.prepare(`DELETE FROM ${quoteName(table)} WHERE name = ?`).run(name);
  database.prepare("DELETE FROM framework_migrations WHERE name = ?").run(name);
}

/**
 * Records the checksum of a file, also for one that wrangler applied, so that later changes are
 * noticed.
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
 * Returns the SHA-256 of a migration's text, in hex. Line endings are normalized, because git may
 * change them.
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

/** Quotes an identifier for SQL. */
export function quoteName(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** Options and events of a run over several files. */
export interface MigrationRun {
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onDone(name: string): void;
}

/** Database that migrations are applied to: the local file, or the platform's database. */
export interface MigrationDatabase {
  /**
   * Splits a file into its statements, and refuses what would break "one file, one transaction". Default: as SQLite.
   *
   * @throws {CliError} Exit code 1; names file and line.
   */
  split?(file: Migration): FileStatement[];
  /** Lists the applied migrations. Creates nothing, not even the tables that record them. */
  ledger(): Promise<LedgerEntry[]>;
  /**
   * Applies pending migrations, each file with its record in one atomic step.
   *
   * @param migrations All files, in order.
   * @param run `steps` files at most; `onOutOfOrder` is told once of pending files before an applied one.
   */
  apply(
    migrations: Migration[],
    run: MigrationRun & { steps: number | undefined; onOutOfOrder(names: string[]): void },
  ): Promise<void>;
  /**
   * Reverts migrations, each file with its record in one atomic step.
   *
   * @param files What takes them back, the one that was applied last first.
   */
  revert(files: Migration[], run: MigrationRun): Promise<void>;
  /**
   * Drops everything. Only the local database supports this: no command can empty the platform's.
   *
   * @param dryRun Changes nothing.
   * @returns Name and statement of each table and view; undefined when there is no database.
   */
  empty?(dryRun: boolean): Promise<{ name: string; statement: string }[] | undefined>;
}
