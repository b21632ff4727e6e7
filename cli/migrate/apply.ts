import type { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import {
  createLedger,
  forgetMigration,
  type LedgerEntry,
  quoteName,
  readLedger,
  recordChecksum,
  recordMigration,
} from "./ledger.ts";
import type { Migration } from "./files.ts";
import { pendingMigrations, type PendingOptions, type Place, wayOut } from "./plan.ts";
import { checkedStatements } from "./statements.ts";
import { inTransaction, MEND, runStatements } from "./transaction.ts";

/** Options for {@linkcode applyMigrations}. */
export interface ApplyOptions {
  /** Name of wrangler's table. */
  table: string;
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onApplied(name: string): void;
  /** Maximum number of files to apply. Default: all. */
  steps?: number | undefined;
  /** Called once, when pending files come before an applied one. */
  onOutOfOrder(names: string[]): void;
  /** Database that is meant: nobody is told to begin one anew that is not the developer's own. Default: `local`. */
  place?: Place;
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
        place: options.place ?? "local",
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
    // Yields, so that a signal can be delivered: the work above is synchronous.
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

/** Options for {@linkcode revertMigrations}. */
export interface RevertOptions {
  /** Name of wrangler's table. */
  table: string;
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onReverted(name: string): void;
}

/**
 * Names of the last applied migrations, newest first.
 *
 * @param ledger What is applied.
 * @param steps How many. Default: all.
 */
export function lastApplied(ledger: LedgerEntry[], steps: number = Infinity): string[] {
  return ledger.map(({ name }) => name).reverse().slice(0, steps);
}

/**
 * Reverts migrations. One file and its record are one transaction.
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
    // Yields, so that a signal can be delivered: the work above is synchronous.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (options.signal.aborted) return;
  }
}

/**
 * Returns true when a migration is still the last applied one; another process may have reverted it
 * meanwhile.
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
    hint: "Run `framework migrate status`, then revert the right migrations.",
  });
}

/** A table or view to drop. */
interface Dropped {
  name: string;
  statement: string;
}

/** Kinds to drop: views first, then virtual tables, which drop the tables that store their content. */
const KINDS = [
  { word: "VIEW", where: "type = 'view'" },
  { word: "TABLE", where: "type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'" },
  { word: "TABLE", where: "type = 'table'" },
] as const;

/**
 * Drops everything in the local database, including the migration records. The file and workerd's
 * tables `_cf_*` stay, because a running `framework dev` has the file open.
 *
 * @param database The database, opened for writing.
 * @param dryRun Takes it all back in the end.
 * @returns What was dropped, in that order.
 * @throws {CliError} Exit code 1 when another process keeps the database.
 */
export function emptyDatabase(database: DatabaseSync, dryRun: boolean): Dropped[] {
  // Tables are dropped in any order, regardless of references; inside a transaction this could not
  // be set.
  database.exec("PRAGMA foreign_keys = OFF");
  return inTransaction(database, () => {
    database.exec("SAVEPOINT everything");
    const dropped = KINDS.flatMap(({ word, where }) =>
      namesOf(database, where).map((name) => {
        const statement = `DROP ${word} ${quoteName(name)}`;
        database.exec(statement);
        return { name, statement };
      })
    );
    if (dryRun) database.exec("ROLLBACK TO everything");
    return dropped;
  });
}

function namesOf(database: DatabaseSync, where: string): string[] {
  const own = "name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'";
  const query = `SELECT name FROM sqlite_master WHERE ${where} AND ${own} ORDER BY name`;
  return database.prepare(query).all().map((row) => String(row["name"]));
}
