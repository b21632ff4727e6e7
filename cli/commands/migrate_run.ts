import type { Migration } from "../migrate/migration_files.ts";
import type { Place } from "../migrate/plan.ts";
import type { CommandContext, OptionSpec } from "./command.ts";

/** `--dry-run` of the commands that change a database. */
export const dryRunOption: OptionSpec = {
  type: "boolean",
  summary: "Write the SQL that would run, and change nothing",
};

/** `--steps`, without its summary. */
export const stepsOption: Omit<OptionSpec, "summary"> = {
  type: "integer",
  min: 1,
  max: 100_000,
  placeholder: "count",
};

/** What a command did, or would do. */
export interface RunReport {
  /** What the files are called in the JSON. */
  key: "applied" | "reverted";
  place: Place;
  /** Folder of the files as shown to the user. */
  folder: string;
  files: Migration[];
}

/**
 * Writes what a command did, as `--json` and `--dry-run` ask.
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
