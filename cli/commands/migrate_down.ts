import { targetOptions } from "../migrate/target.ts";
import type { Command } from "../terminal/command.ts";
import { confirmDestruction } from "../terminal/keyboard.ts";
import { dryRunOption, revert, stepsOption } from "./migrate_run.ts";

/** `framework migrate down`. */
export const command: Command = {
  name: "migrate down",
  summary: "Revert the last migration",
  options: {
    ...targetOptions,
    steps: { ...stepsOption, default: 1, summary: "Number of migrations to revert" },
    "dry-run": dryRunOption,
    yes: { type: "boolean", short: "y", summary: "Do not ask before data is lost" },
    json: { type: "boolean", summary: "Print the result as JSON" },
  },
  examples: ["framework migrate down", "framework migrate down --steps 2 --yes"],
  run: (ctx) =>
    revert(ctx, {
      steps: Number(ctx.values["steps"]),
      consent: (names, { place }) =>
        confirmDestruction(`Revert ${names.join(", ")} on the ${place} database?`, {
          ...ctx,
          yes: ctx.values["yes"] === true,
        }),
    }),
};
