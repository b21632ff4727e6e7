import { writeTypes } from "../app/types.ts";
import { loadConfig } from "../config/load.ts";
import { demandApplication } from "../platform/wrangler_file.ts";
import type { Command } from "../terminal/command.ts";
import { ExitCode } from "../terminal/exit.ts";
import { displayPath } from "../tools/paths.ts";

/** `framework types`. */
export const command: Command = {
  name: "types",
  summary: "Write the types of folders, tables and bindings, for an editor",
  options: {},
  verbose: "the files that are written",
  examples: ["framework types"],
  async run(ctx) {
    const config = await loadConfig(ctx.cwd, ctx.config);
    demandApplication(config);
    const written = await writeTypes(config);
    for (const path of written) ctx.output.detail(`Wrote ${displayPath(config.root, path)}`);
    const count = written.length === 1 ? "1 file" : `${written.length} files`;
    ctx.output.success(`Types are up to date (${count} written)`);
    return ExitCode.ok;
  },
};
