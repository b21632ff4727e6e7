import { migrationTarget, targetOptions } from "../migrate/target.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { confirmDestruction } from "../terminal/keyboard.ts";
import { dryRunOption, revert } from "./migrate_run.ts";

/** `framework migrate reset`. */
export const command: Command = {
  name: "migrate reset",
  summary: "Revert all migrations",
  options: {
    ...targetOptions,
    "dry-run": dryRunOption,
    yes: { type: "boolean", short: "y", summary: "Do not ask before local data is lost" },
    confirm: {
      type: "string",
      placeholder: "name",
      summary: "With --remote: the database's name, as confirmation",
    },
    force: {
      type: "boolean",
      summary: "Empty the local database without asking and without the files of down/",
    },
    json: { type: "boolean", summary: "Print the result as JSON" },
  },
  examples: [
    "framework migrate reset --yes",
    "framework migrate reset --local --force",
    "framework migrate reset --remote --confirm my-app",
  ],
  run(ctx) {
    if (ctx.values["force"] === true) return empty(ctx);
    return revert(ctx, {
      steps: Infinity,
      check({ place, databaseName }) {
        if (place === "remote") refuseUnlessNamed(ctx.values["confirm"], databaseName);
      },
      async consent(names, { place }) {
        if (place === "remote") return;
        const count = names.length === 1 ? names[0] : `all ${names.length} migrations`;
        const question = `Revert ${count} on the local database?`;
        await confirmDestruction(question, { ...ctx, yes: ctx.values["yes"] === true });
      },
    });
  },
};

/**
 * `--force`: empties a local database whose history no longer matches the files, for example after
 * switching branches.
 */
async function empty(ctx: CommandContext): Promise<number> {
  const { output, values } = ctx;
  if (values["remote"] === true) {
    throw new CliError("--force empties the local database only.", {
      hint:
        "Remove --remote; the platform's database is reverted only by the files of migrations/down/.",
    });
  }
  const dryRun = values["dry-run"] === true;
  const { database } = await migrationTarget(ctx);
  const dropped = await database.empty?.(dryRun);
  if (values["json"] === true) {
    const names = (dropped ?? []).map(({ name }) => name);
    output.data(JSON.stringify({ database: "local", dryRun, dropped: names }));
  } else if (dryRun) {
    for (const { statement } of dropped ?? []) output.data(`${statement};`);
  }
  if (dropped === undefined) {
    output.info("Nothing to do: there is no local database.");
  } else if (dryRun) {
    output.info("Nothing was changed. The local database would be emptied.");
  } else {
    output.success("Emptied the local database");
    output.info("Run `framework migrate up` to create its tables.");
  }
  return ExitCode.ok;
}

/**
 * Requires the database's name: `--yes` is a habit, and in scripts a constant, which does not
 * suffice for a production database.
 */
function refuseUnlessNamed(given: unknown, databaseName: string | undefined): void {
  if (databaseName === undefined) {
    throw new CliError("The database has no database_name in wrangler.jsonc.", {
      exitCode: ExitCode.config,
      hint: "Add it: `migrate reset --remote` asks for the name before it deletes all data.",
    });
  }
  if (given === databaseName) return;
  throw new CliError(
    given === undefined
      ? "This reverts every migration of the platform's database and deletes all its data."
      : `--confirm is ${JSON.stringify(given)}, but the database is ${
        JSON.stringify(databaseName)
      }.`,
    { hint: `Add --confirm ${databaseName} to continue.` },
  );
}
