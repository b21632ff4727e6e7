import type { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import { createLedger, forgetMigration, type LedgerEntry, readLedger } from "./ledger.ts";
import type { Migration } from "./migration_files.ts";
import { wayOut } from "./plan.ts";
import { checkedStatements } from "./statement_check.ts";
import { inTransaction, MEND, runStatements } from "./transaction.ts";

/** How {@linkcode revertMigrations} works and what it tells. */
export interface RevertOptions {
  /** Name of wrangler's table. */
  table: string;
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onReverted(name: string): void;
}

/**
 * Names of the migrations that were applied last, the last one first.
 *
 * @param ledger What is applied.
 * @param steps How many. Default: all.
 */
export function lastApplied(ledger: LedgerEntry[], steps: number = Infinity): string[] {
  return ledger.map(({ name }) => name).reverse().slice(0, steps);
}

/**
 * Takes migrations back. One file and its record are one transaction.
 *
 * @param database The database, opened for writing.
 * @param files What takes them back, in the order of {@linkcode lastApplied}.
 * @param options Table, signal and reports.
 * @throws {CliError} Exit code 1; names file, line and statement. Nothing of the failed file remains.
 */
export async function revertMigrations(
  database: DatabaseSync,
  files: Migration[],
  options: RevertOptions,
): Promise<void> {
  for (const { name, sql } of files) {
    const file = `down/${name}`;
    const reverted = inTransaction(database, () => {
      createLedger(database, options.table);
      if (!isNext(readLedger(database, options.table), name)) return false;
      const statements = checkedStatements({ name: file, sql });
      runStatements(database, file, statements, wayOut(MEND, "local"));
      forgetMigration(database, options.table, name);
      return true;
    });
    if (reverted) options.onReverted(name);
    // Lets a signal be delivered: the work above is synchronous.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (options.signal.aborted) return;
  }
}

/**
 * Whether a migration is still there to be taken back; another process may have done so meanwhile.
 *
 * @param ledger What is applied now.
 * @param name The migration.
 * @throws {CliError} Exit code 1 when another process has applied one after it.
 */
export function isNext(ledger: LedgerEntry[], name: string): boolean {
  const index = ledger.findIndex((entry) => entry.name === name);
  if (index === -1) return false;
  if (index === ledger.length - 1) return true;
  throw new CliError(`${ledger.at(-1)?.name} was applied meanwhile, after ${name}.`, {
    hint: "Run `framework migrate status`, then take back what is meant.",
  });
}
