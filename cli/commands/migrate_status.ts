import { readMigrations } from "../migrate/files.ts";
import { outOfOrder, planMigrations, type PlannedMigration, wayOut } from "../migrate/plan.ts";
import { type MigrationTarget, migrationTarget, targetOptions } from "../migrate/target.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { type Output, printable } from "../terminal/output.ts";

/** `framework migrate status`. */
export const command: Command = {
  name: "migrate status",
  summary: "Show which migrations have been applied",
  options: {
    ...targetOptions,
    check: {
      type: "boolean",
      summary: "Fail where a migration is pending, changed or missing",
    },
    json: { type: "boolean", summary: "Print the result as JSON" },
  },
  examples: ["framework migrate status", "framework migrate status --remote --check"],
  async run(ctx) {
    const target = await migrationTarget(ctx);
    const migrations = await readMigrations(target.config.migrationsDir);
    const plan = planMigrations(migrations, await target.database.ledger());
    if (ctx.values["json"] === true) {
      const list = plan.map(({ name, state, appliedAt = null }) => ({ name, state, appliedAt }));
      ctx.output.data(JSON.stringify({ database: target.place, migrations: list }));
    } else {
      show(plan, target, ctx.output);
    }
    const isBehind = plan.some(({ state }) => state !== "applied");
    return ctx.values["check"] === true && isBehind ? ExitCode.failure : ExitCode.ok;
  },
};

function show(
  plan: PlannedMigration[],
  { folder, place }: MigrationTarget,
  output: Output,
): void {
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
  const remote = place === "remote" ? " --remote" : "";
  if (pending > 0) {
    output.info(`${pending} pending. Run \`framework migrate up${remote}\` to apply.`);
  }
  const late = outOfOrder(plan);
  if (late.length > 0) {
    output.warn(`To be applied after migrations with a higher number: ${late.join(", ")}.`);
  }
  const drifted = plan.filter(({ state }) => state === "changed" || state === "missing");
  if (drifted.length > 0) {
    output.warn(
      `The files and the database differ: ${drifted.map(({ name }) => name).join(", ")}.`,
    );
    output.info(wayOut("Restore the files.", place));
  }
}
