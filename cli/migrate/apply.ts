import type { DatabaseSync } from "node:sqlite";
import { createLedger, readLedger, recordChecksum, recordMigration } from "./ledger.ts";
import type { Migration } from "./migration_files.ts";
import { pendingMigrations, type PendingOptions } from "./plan.ts";
import { checkedStatements } from "./statement_check.ts";
import { inTransaction, runStatements } from "./transaction.ts";

/** How {@linkcode applyMigrations} works and what it tells. */
export interface ApplyOptions {
  /** Name of wrangler's table. */
  table: string;
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onApplied(name: string): void;
  /** How many files to apply at most. Default: all. */
  steps?: number | undefined;
  /** Called once, when pending files come before an applied one. */
  onOutOfOrder(names: string[]): void;
}

/**
 * Applies pending migrations.
 *
 * One file and its record are one transaction, so that a crash leaves either both or neither. What is
 * pending is read again inside the lock: of two processes each file is applied by one.
 *
 * @param database The database, opened for writing.
 * @param migrations The files, in order.
 * @param options Table, signal and reports.
 * @returns How many files this call applied.
 * @throws {CliError} Exit code 1; names file, line and statement. Nothing of the failed file remains.
 */
export async function applyMigrations(
  database: DatabaseSync,
  migrations: Migration[],
  options: ApplyOptions,
): Promise<number> {
  const statements = new Map(migrations.map((file) => [file.name, checkedStatements(file)]));
  const { steps = Infinity } = options;
  for (let count = 0; count < steps; count++) {
    const applied = inTransaction(database, () => {
      const next = nextPending(database, migrations, options.table, {
        statements,
        place: "local",
        steps: steps - count,
        onOutOfOrder: count === 0 ? options.onOutOfOrder : () => {},
      });
      if (next === undefined) return undefined;
      runStatements(database, next.name, statements.get(next.name) ?? []);
      recordMigration(database, options.table, next);
      return next.name;
    });
    if (applied === undefined) return count;
    options.onApplied(applied);
    // Lets a signal be delivered: the work above is synchronous.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (options.signal.aborted) return count + 1;
  }
  return steps;
}

function nextPending(
  database: DatabaseSync,
  migrations: Migration[],
  table: string,
  options: PendingOptions,
): Migration | undefined {
  createLedger(database, table);
  const ledger = readLedger(database, table);
  const [next] = pendingMigrations(migrations, ledger, options);
  for (const entry of ledger) {
    const file = migrations.find((migration) => migration.name === entry.name);
    if (entry.checksum === undefined && file !== undefined) recordChecksum(database, file);
  }
  return next;
}
