import { readLedger } from "../migrate/ledger.ts";
import { readLocalDatabase } from "../migrate/local_database.ts";
import { readMigrations } from "../migrate/migration_files.ts";
import { planMigrations, type PlannedMigration } from "../migrate/plan.ts";
import { migrationTarget, targetOptions } from "../migrate/target.ts";
import { ExitCode } from "../terminal/exit.ts";
import type { Output } from "../terminal/output.ts";
import { printable } from "../terminal/printable.ts";
import type { Command } from "./command.ts";

/** `framework migrate status`. */
export const command: Command = {
  name: "migrate status",
  summary: "Show which migrations are applied",
  options: targetOptions,
  examples: ["framework migrate status"],
  async run(ctx) {
    const target = await migrationTarget(ctx);
    const migrations = await readMigrations(target.config.migrationsDir);
    const database = await readLocalDatabase(target.databasePath);
    try {
      const ledger = database === undefined ? [] : readLedger(database, target.table);
      show(planMigrations(migrations, ledger), target.folder, ctx.output);
      return ExitCode.ok;
    } finally {
      database?.close();
    }
  },
};

function show(plan: PlannedMigration[], folder: string, output: Output): void {
  if (plan.length === 0) {
    output.warn(`There are no migrations in ${folder}/.`);
    return;
  }
  const color = output.dataColor;
  const paint = {
    applied: color.green,
    pending: color.yellow,
    changed: color.red,
    missing: color.red,
  };
  const width = Math.max(...plan.map(({ name }) => name.length));
  for (const { name, state, appliedAt } of plan) {
    const time = appliedAt === undefined ? "" : `  ${appliedAt} UTC`;
    output.data(`${printable(name).padEnd(width)}  ${paint[state](state)}${time}`);
  }
  const pending = plan.filter(({ state }) => state === "pending").length;
  if (pending > 0) output.info(`${pending} pending. Run \`framework migrate up\` to apply.`);
  const drifted = plan.filter(({ state }) => state === "changed" || state === "missing");
  if (drifted.length > 0) {
    output.warn(`Files and database differ: ${drifted.map(({ name }) => name).join(", ")}.`);
  }
}
