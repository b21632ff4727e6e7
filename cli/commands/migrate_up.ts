import { type Migration, readMigrations } from "../migrate/files.ts";
import { pendingMigrations } from "../migrate/plan.ts";
import { checkedStatements } from "../migrate/statements.ts";
import { migrationTarget, targetOptions } from "../migrate/target.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { dryRunOption, stepsOption, writeRun } from "./migrate_run.ts";

/** `framework migrate up`. */
export const command: Command = {
  name: "migrate up",
  summary: "Apply all pending migrations",
  options: {
    ...targetOptions,
    steps: { ...stepsOption, summary: "Maximum number of migrations to apply (default: all)" },
    "dry-run": dryRunOption,
    json: { type: "boolean", summary: "Print the result as JSON" },
  },
  examples: ["framework migrate up", "framework migrate up --remote --dry-run"],
  async run(ctx) {
    const { output, values } = ctx;
    const target = await migrationTarget(ctx);
    const migrations = await readMigrations(target.config.migrationsDir);
    const steps = values["steps"] === undefined ? undefined : Number(values["steps"]);
    const done: Migration[] = [];
    const split = target.database.split ?? checkedStatements;
    const dryRun = values["dry-run"] === true;

    function warnOfOrder(names: string[]): void {
      output.warn(`Applying ${names.join(", ")} after migrations with a higher number.`);
    }
    if (migrations.length === 0) {
      output.warn(`There are no migrations in ${target.folder}/.`);
    } else if (dryRun) {
      const statements = new Map(migrations.map((file) => [file.name, split(file)]));
      done.push(
        ...pendingMigrations(migrations, await target.database.ledger(), {
          statements,
          place: target.place,
          steps,
          onOutOfOrder: warnOfOrder,
        }),
      );
    } else {
      await target.database.apply(migrations, {
        steps,
        signal: ctx.signal,
        onDone(name) {
          done.push(...migrations.filter((migration) => migration.name === name));
          output.success(`Applied ${name}`);
        },
        onOutOfOrder: warnOfOrder,
      });
    }
    if (done.length === 0 && migrations.length > 0) {
      output.info("Nothing to do: all migrations have been applied.");
    }
    writeRun(ctx, { key: "applied", place: target.place, folder: target.folder, files: done });
    return ExitCode.ok;
  },
};
