import { loadConfig } from "../config/load.ts";
import { createMigration } from "../migrate/files.ts";
import { refuseBothTargets } from "../migrate/target.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";

/** `framework migrate create <name>`. */
export const command: Command = {
  name: "migrate create",
  summary: "Create the files of a new migration",
  positionals: [{
    name: "name",
    summary: "What the migration does, for example add_posts",
    required: true,
    completes: "none",
  }],
  // Accepted, so that a script can pass its database to every subcommand.
  options: {
    local: { type: "boolean", summary: "No effect: the files are for both databases" },
    remote: { type: "boolean", summary: "No effect: the files are for both databases" },
  },
  examples: ["framework migrate create add_posts"],
  async run(ctx) {
    refuseBothTargets(ctx);
    const config = await loadConfig(ctx.cwd, ctx.config);
    const { up, down } = await createMigration(config.migrationsDir, ctx.positionals[0] ?? "");
    ctx.output.success(`Created ${displayPath(config.root, up)}`);
    ctx.output.success(`Created ${displayPath(config.root, down)}`);
    return ExitCode.ok;
  },
};
