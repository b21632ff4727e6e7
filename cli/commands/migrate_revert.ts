import { readDownMigrations } from "../migrate/down_migrations.ts";
import type { Migration } from "../migrate/migration_files.ts";
import { lastApplied } from "../migrate/revert.ts";
import { type MigrationTarget, migrationTarget } from "../migrate/target.ts";
import { ExitCode } from "../terminal/exit.ts";
import type { CommandContext } from "./command.ts";
import { writeRun } from "./migrate_run.ts";

/**
 * Takes migrations back: what `migrate down` and `migrate reset` have in common.
 *
 * @param ctx The running command.
 * @param options `steps` is how many; `check` throws when the command line itself lacks what the target takes, before
 * anybody is asked; `consent` rejects unless the user agreed to the loss of data.
 * @returns The exit code.
 */
export async function revert(
  ctx: CommandContext,
  { steps, check, consent }: {
    steps: number;
    check?(target: MigrationTarget): void;
    consent(names: string[], target: MigrationTarget): Promise<void>;
  },
): Promise<number> {
  const { output, values } = ctx;
  const target = await migrationTarget(ctx);
  const { database, config, place, folder } = target;
  if (values["dry-run"] !== true) check?.(target);
  const names = lastApplied(await database.ledger(), steps);
  const files = await readDownMigrations(config.migrationsDir, names, place);
  let done: Migration[] = [];
  if (names.length === 0) {
    output.info("Nothing to do: no migration is applied.");
  } else if (values["dry-run"] === true) {
    done = files;
  } else {
    await consent(names, target);
    await database.revert(files, {
      signal: ctx.signal,
      onDone(name) {
        done.push(...files.filter((file) => file.name === name));
        output.success(`Took back ${name}`);
      },
    });
  }
  writeRun(ctx, { key: "reverted", place, folder: `${folder}/down`, files: done });
  return ExitCode.ok;
}
