import { applyMigrations } from "../migrate/apply.ts";
import { openLocalDatabase } from "../migrate/local_database.ts";
import { readMigrations } from "../migrate/migration_files.ts";
import { migrationTarget, targetOptions } from "../migrate/target.ts";
import { ExitCode } from "../terminal/exit.ts";
import type { Command } from "./command.ts";

/** `framework migrate up`. */
export const command: Command = {
  name: "migrate up",
  summary: "Apply all pending migrations",
  options: targetOptions,
  examples: ["framework migrate up"],
  async run(ctx) {
    const { output } = ctx;
    const target = await migrationTarget(ctx);
    const migrations = await readMigrations(target.config.migrationsDir);
    if (migrations.length === 0) {
      output.warn(`There are no migrations in ${target.folder}/.`);
      return ExitCode.ok;
    }
    const database = await openLocalDatabase(target.databasePath);
    try {
      const count = await applyMigrations(database, migrations, {
        table: target.table,
        signal: ctx.signal,
        onApplied: (name) => output.success(`Applied ${name}`),
        onOutOfOrder: (names) =>
          output.warn(`Applying ${names.join(", ")} after migrations with a higher number.`),
      });
      if (count === 0) output.info("Nothing to do: all migrations are applied.");
      return ExitCode.ok;
    } finally {
      database.close();
    }
  },
};
