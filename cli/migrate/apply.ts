import type { DatabaseSync } from "node:sqlite";
import { CliError } from "../terminal/exit.ts";
import { createLedger, readLedger, recordChecksum, recordMigration } from "./ledger.ts";
import type { Migration } from "./migration_files.ts";
import { outOfOrder, planMigrations, refuseDrift } from "./plan.ts";
import type { FileStatement } from "./sql_statements.ts";
import { checkedStatements } from "./statement_check.ts";

/** How {@linkcode applyMigrations} works and what it tells. */
export interface ApplyOptions {
  /** Name of wrangler's table. */
  table: string;
  /** Stops before the next file when aborted. */
  signal: AbortSignal;
  /** Called after each file, once it is committed. */
  onApplied(name: string): void;
  /** Called once, when pending files come before an applied one. */
  onOutOfOrder(names: string[]): void;
}

/**
 * Applies all pending migrations.
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
  for (let count = 0;; count++) {
    const applied = inTransaction(database, () => {
      const next = nextPending(database, migrations, {
        ...options,
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
}

function nextPending(
  database: DatabaseSync,
  migrations: Migration[],
  options: ApplyOptions,
): Migration | undefined {
  createLedger(database, options.table);
  const ledger = readLedger(database, options.table);
  const plan = planMigrations(migrations, ledger);
  refuseDrift(plan);
  const early = outOfOrder(plan);
  if (early.length > 0) options.onOutOfOrder(early);
  for (const entry of ledger) {
    const file = migrations.find((migration) => migration.name === entry.name);
    if (entry.checksum === undefined && file !== undefined) recordChecksum(database, file);
  }
  const next = plan.find((migration) => migration.state === "pending")?.name;
  return migrations.find((migration) => migration.name === next);
}

function runStatements(database: DatabaseSync, file: string, statements: FileStatement[]): void {
  for (const [index, statement] of statements.entries()) {
    try {
      database.exec(statement.text);
    } catch (error) {
      const place = `statement ${index + 1} of ${statements.length}`;
      throw new CliError(
        `${file}:${statement.line}: ${sqlReason(error, statement)} (${place})\n${frame(statement)}`,
        {
          hint: "Nothing of this file was applied. Correct it and run the command again.",
          cause: error,
        },
      );
    }
  }
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec("BEGIN IMMEDIATE");
  } catch (error) {
    if (!/locked|busy/i.test(reason(error))) throw failed(error);
    throw new CliError("The local database is in use by another process.", {
      hint: "Wait until the other migration has finished, then run the command again.",
      cause: error,
    });
  }
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // Some failures, a full disk for example, have ended the transaction already.
    }
    throw error instanceof CliError ? error : failed(error);
  }
}

function failed(error: unknown): CliError {
  return new CliError(`The local database refused the migration: ${reason(error)}.`, {
    hint: "Nothing of this migration was applied.",
    cause: error,
  });
}

/** Deno appends the whole statement to SQLite's message; it is shown below anyway. */
function sqlReason(error: unknown, statement: FileStatement): string {
  return reason(error).split(` in ${statement.text} at offset `)[0] ?? "";
}

/** The first lines of a statement, as in the file; lines of generated data are cut. */
function frame(statement: FileStatement): string {
  const lines = statement.text.split(/\r?\n/).slice(0, 5);
  const width = String(statement.line + lines.length - 1).length;
  return lines
    .map((text, index) =>
      `  ${String(statement.line + index).padStart(width)} | ${text.slice(0, 200)}`
    )
    .join("\n");
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
