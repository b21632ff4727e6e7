import { targetOptions } from "../migrate/target.ts";
import { confirmDestruction } from "../terminal/confirm.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { Command } from "./command.ts";
import { revert } from "./migrate_revert.ts";
import { dryRunOption } from "./migrate_run.ts";

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
    json: { type: "boolean", summary: "Write the result as JSON" },
  },
  examples: ["framework migrate reset --yes", "framework migrate reset --remote --confirm my-app"],
  run: (ctx) =>
    revert(ctx, {
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
    }),
};

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
