import { lastApplied } from "../migrate/apply.ts";
import type { Migration } from "../migrate/files.ts";
import { type Place, readDownMigrations } from "../migrate/plan.ts";
import { type MigrationTarget, migrationTarget } from "../migrate/target.ts";
import type { CommandContext, OptionSpec } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";

/** `--dry-run` of the commands that change a database. */
export const dryRunOption: OptionSpec = {
  type: "boolean",
  summary: "Print the SQL that would run, without changing anything",
};

/** `--steps`, without its summary. */
export const stepsOption: Omit<OptionSpec, "summary"> = {
  type: "integer",
  min: 1,
  max: 100_000,
  placeholder: "count",
};

/** Result of a command, or of its dry run. */
export interface RunReport {
  /** Key of the files in the JSON. */
  key: "applied" | "reverted";
  place: Place;
  /** Folder of the files for display. */
  folder: string;
  files: Migration[];
}

/**
 * Prints what a command did, according to `--json` and `--dry-run`.
 *
 * @param ctx The running command.
 * @param report What it did.
 */
export function writeRun({ values, output }: CommandContext, report: RunReport): void {
  const { key, place, folder, files } = report;
  const dryRun = values["dry-run"] === true;
  if (values["json"] === true) {
    const list = files.map(({ name, sql }) => dryRun ? { name, sql } : { name });
    output.data(JSON.stringify({ database: place, dryRun, [key]: list }));
  } else if (dryRun) {
    for (const { name, sql } of files) {
      output.data(`-- ${folder}/${name}\n${sql.trimEnd()}\n`);
    }
    const count = files.length === 1 ? "1 file" : `${files.length} files`;
    output.info(`Nothing was changed. ${count} would run on the ${place} database.`);
  }
}

/**
 * Reverts migrations for `migrate down` and `migrate reset`.
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
  const files = await readDownMigrations(config.migrationsDir, names, place, database.split);
  let done: Migration[] = [];
  if (names.length === 0) {
    output.info("Nothing to do: no migration has been applied.");
  } else if (values["dry-run"] === true) {
    done = files;
  } else {
    await consent(names, target);
    await database.revert(files, {
      signal: ctx.signal,
      onDone(name) {
        done.push(...files.filter((file) => file.name === name));
        output.success(`Reverted ${name}`);
      },
    });
  }
  writeRun(ctx, { key: "reverted", place, folder: `${folder}/down`, files: done });
  return ExitCode.ok;
}
