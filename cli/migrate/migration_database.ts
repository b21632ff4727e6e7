import type { LedgerEntry } from "./ledger.ts";
import type { Migration } from "./migration_files.ts";

/** What a run over several files is told, and tells. */
export interface MigrationRun {
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onDone(name: string): void;
}

/** Where migrations are applied: the local file, or the platform's database. */
export interface MigrationDatabase {
  /** What is applied. Makes nothing, not even the tables that record it. */
  ledger(): Promise<LedgerEntry[]>;
  /**
   * Applies pending migrations, each file with its record as one atomic step.
   *
   * @param migrations All files, in order.
   * @param run `steps` files at most; `onOutOfOrder` is told once of pending files before an applied one.
   */
  apply(
    migrations: Migration[],
    run: MigrationRun & { steps: number | undefined; onOutOfOrder(names: string[]): void },
  ): Promise<void>;
  /**
   * Takes migrations back, each file with its record as one atomic step.
   *
   * @param files What takes them back, the one that was applied last first.
   */
  revert(files: Migration[], run: MigrationRun): Promise<void>;
  /**
   * Drops everything. Only the local database has this: no command line can empty the platform's.
   *
   * @param dryRun Changes nothing.
   * @returns Name and statement of each table and view; undefined when there is no database.
   */
  empty?(dryRun: boolean): Promise<{ name: string; statement: string }[] | undefined>;
}
