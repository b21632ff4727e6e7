import { CliError } from "../terminal/exit.ts";
import { checksumOf, type LedgerEntry } from "./ledger.ts";
import { compareMigrationNames, type Migration } from "./migration_files.ts";

/** What is known of one migration. */
export interface PlannedMigration {
  name: string;
  /**
   * `changed`: the file is not what was applied. `missing`: applied, but its file is gone.
   */
  state: "applied" | "pending" | "changed" | "missing";
  /** When it was applied; undefined while it is pending. */
  appliedAt: string | undefined;
}

/**
 * Compares the files with what is applied.
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

/**
 * Refuses to go on when files and database tell different histories.
 *
 * @param plan The comparison.
 * @throws {CliError} Exit code 1; names the file.
 */
export function refuseDrift(plan: PlannedMigration[]): void {
  const changed = plan.find((migration) => migration.state === "changed");
  if (changed !== undefined) {
    throw new CliError(`${changed.name} was changed after it was applied.`, {
      hint: "Restore the file and put the change into a new migration.",
    });
  }
  const missing = plan.find((migration) => migration.state === "missing");
  if (missing !== undefined) {
    throw new CliError(`${missing.name} is applied, but its file is missing.`, {
      hint: "Restore the file, for example from version control.",
    });
  }
}

/**
 * Pending migrations that come before one that is applied; they run later than their number says.
 *
 * @param plan The comparison.
 */
export function outOfOrder(plan: PlannedMigration[]): string[] {
  const last = plan.findLastIndex((migration) => migration.state !== "pending");
  return plan.slice(0, last + 1).filter(({ state }) => state === "pending").map(({ name }) => name);
}
