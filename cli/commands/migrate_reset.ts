import { migrationTarget, targetOptions } from "../migrate/target.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { confirmDestruction } from "../terminal/keyboard.ts";
import { dryRunOption, revert } from "./migrate_run.ts";

/** `framework migrate reset`. */
export const command: Command = {
  name: "migrate reset",
  summary: "Take back all migrations",
  options: {
    ...targetOptions,
    "dry-run": dryRunOption,
    yes: { type: "boolean", short: "y", summary: "Do not ask before local data are lost" },
    confirm: {
      type: "string",
      placeholder: "name",
      summary: "With --remote: the database's name, to show that it is meant",
    },
    force: {
      type: "boolean",
      summary: "Empty the local database, without asking and without the files of down/",
    },
    json: { type: "boolean", summary: "Write the result as JSON" },
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
        const question = `Take back ${count} on the local database?`;
        await confirmDestruction(question, { ...ctx, yes: ctx.values["yes"] === true });
      },
    });
  },
};

/** `--force`: for a local database whose history no file tells any more, after a branch switch for example. */
async function empty(ctx: CommandContext): Promise<number> {
  const { output, values } = ctx;
  if (values["remote"] === true) {
    throw new CliError("--force empties the local database only.", {
      hint:
        "Leave out --remote; the platform's database is taken back by the files of migrations/down/ alone.",
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
    output.info("Run `framework migrate up` to make its tables.");
  }
  return ExitCode.ok;
}

/** `--yes` is a habit, and in scripts a constant: a database that people use takes its name. */
function refuseUnlessNamed(given: unknown, databaseName: string | undefined): void {
  if (databaseName === undefined) {
    throw new CliError("The database has no database_name in wrangler.jsonc.", {
      exitCode: ExitCode.config,
      hint: "Add it: `migrate reset --remote` asks for the name before it takes all data away.",
    });
  }
  if (given === databaseName) return;
  throw new CliError(
    given === undefined
      ? "This takes back every migration of the platform's database, and all its data."
      : `--confirm names ${JSON.stringify(given)}, the database is ${
        JSON.stringify(databaseName)
      }.`,
    { hint: `Add --confirm ${databaseName} if it is meant.` },
  );
}
