import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../terminal/exit.ts";
import { checksumOf, type LedgerEntry } from "./ledger.ts";
import { compareMigrationNames, type Migration } from "./files.ts";
import { checkedStatements } from "./statements.ts";

/** State of one migration. */
export interface PlannedMigration {
  name: string;
  /** `changed`: the file differs from what was applied. `missing`: applied, but its file is gone. */
  state: "applied" | "pending" | "changed" | "missing";
  /** Time of application; undefined while it is pending. */
  appliedAt: string | undefined;
}

/**
 * Compares the files with the applied migrations.
 *
 * @param migrations The files.
 * @param ledger What is applied.
 * @returns One line per file or record, in the order in which files apply.
 */
export function planMigrations(migrations: Migration[], ledger: LedgerEntry[]): PlannedMigration[] {
  const applied = new Map(ledger.map((entry) => [entry.name, entry]));
  const files = new Set(migrations.map((migration) => migration.name));
  const planned = migrations.map(({ name, sql }): PlannedMigration => {
    const entry = applied.get(name);
    if (entry === undefined) return { name, state: "pending", appliedAt: undefined };
    const same = entry.checksum === undefined || entry.checksum === checksumOf(sql);
    return { name, state: same ? "applied" : "changed", appliedAt: entry.appliedAt };
  });
  for (const { name, appliedAt } of ledger) {
    if (!files.has(name)) planned.push({ name, state: "missing", appliedAt });
  }
  return planned.sort((a, b) => compareMigrationNames(a.name, b.name));
}

/** Database that a command works on. */
export type Place = "local" | "remote";

/** Command that solves every state of the local database. */
export const BEGIN_ANEW =
  "Or recreate the local database without its data: `framework migrate reset --local --force`, then `framework migrate up`.";

/**
 * Appends to a hint the command that works in any case, for the local database only. The platform's
 * database contains people's data, for which there is no such command.
 *
 * @param hint What mends files and database without a loss.
 * @param place Which database it is.
 */
export function wayOut(hint: string, place: Place): string {
  return place === "local" ? `${hint} ${BEGIN_ANEW}` : hint;
}

/** Inputs of {@linkcode pendingMigrations}. */
export interface PendingOptions {
  /** Statements of each file, by its name. */
  statements: ReadonlyMap<string, readonly unknown[]>;
  /** Local or remote database. */
  place: Place;
  /** Maximum number of files to apply. Default: all. */
  steps?: number | undefined;
  /** Called when pending files come before an applied one. */
  onOutOfOrder(names: string[]): void;
}

/**
 * Returns the files to apply, in order.
 *
 * @param migrations All files, in order.
 * @param ledger What is applied.
 * @param options Statements, database, how many.
 * @throws {CliError} Exit code 1 when files and database tell different histories, or one of the files holds no
 * statement: its record would then keep the statements out that are written into it later.
 */
export function pendingMigrations(
  migrations: Migration[],
  ledger: LedgerEntry[],
  { statements, place, steps, onOutOfOrder }: PendingOptions,
): Migration[] {
  const plan = planMigrations(migrations, ledger);
  refuseDrift(plan, place);
  const early = outOfOrder(plan);
  if (early.length > 0) onOutOfOrder(early);
  const names = new Set(plan.filter(({ state }) => state === "pending").map(({ name }) => name));
  const pending = migrations.filter(({ name }) => names.has(name)).slice(0, steps);
  const empty = pending.find(({ name }) => statements.get(name)?.length === 0);
  if (empty === undefined) return pending;
  throw new CliError(`${empty.name} contains no statement, so nothing was applied.`, {
    hint: "Write the statements of the migration, or SELECT 1; if there is nothing to do.",
  });
}

/**
 * Refuses to continue when files and database have different histories.
 *
 * @param plan The comparison.
 * @param place Which database it is.
 * @throws {CliError} Exit code 1; names the file.
 */
export function refuseDrift(plan: PlannedMigration[], place: Place): void {
  const changed = plan.find((migration) => migration.state === "changed");
  if (changed !== undefined) {
    throw new CliError(`${changed.name} was changed after it was applied.`, {
      hint: wayOut("Restore the file and put the change into a new migration.", place),
    });
  }
  const missing = plan.find((migration) => migration.state === "missing");
  if (missing !== undefined) {
    throw new CliError(`${missing.name} has been applied, but its file is missing.`, {
      hint: wayOut("Restore the file, for example from version control.", place),
    });
  }
}

/**
 * Returns pending migrations that come before an applied one; they run later than their number
 * says.
 *
 * @param plan The comparison.
 */
export function outOfOrder(plan: PlannedMigration[]): string[] {
  const last = plan.findLastIndex((migration) => migration.state !== "pending");
  return plan.slice(0, last + 1).filter(({ state }) => state === "pending").map(({ name }) => name);
}

/**
 * Reads the files that revert migrations. All are checked before any runs: a half-done reset would
 * be the worst outcome.
 *
 * @param folder Absolute path of the migrations; the files lie in its folder `down`.
 * @param names Names of the migrations to take back, in the order in which that happens.
 * @param place Which database it is.
 * @param split Splits a file, and refuses what is not allowed in it. Default: as SQLite.
 * @throws {CliError} Exit code 1 when a file is missing, holds no statement, or one that is not allowed.
 */
export async function readDownMigrations(
  folder: string,
  names: string[],
  place: Place,
  split: (file: Migration) => readonly unknown[] = checkedStatements,
): Promise<Migration[]> {
  const missing: string[] = [];
  const files: Migration[] = [];
  for (const name of names) {
    const sql = await readText(join(folder, "down", name));
    if (sql === undefined) missing.push(`down/${name}`);
    else files.push({ name, sql });
  }
  if (missing.length > 0) {
    throw new CliError(
      `${missing.join(", ")} ${
        missing.length === 1 ? "is" : "are"
      } missing, so nothing was reverted.`,
      { hint: wayOut("Write the statements that undo the migration into that file.", place) },
    );
  }
  for (const { name, sql } of files) {
    if (split({ name: `down/${name}`, sql }).length > 0) continue;
    throw new CliError(`down/${name} contains no statement, so nothing was reverted.`, {
      hint: wayOut(
        "Write the statements that undo the migration, or SELECT 1; if there is nothing to undo.",
        place,
      ),
    });
  }
  return files;
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).replace(/^\ufeff/, "");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
