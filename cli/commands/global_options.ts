import type { Command, OptionSpec } from "./command.ts";

/** Options that every command accepts, before or after its name. */
export const globalOptions: Record<string, OptionSpec> = {
  config: {
    type: "string",
    short: "c",
    placeholder: "file",
    summary: "Configuration file (default: framework.config.ts); in the project or a folder of it",
  },
  cwd: {
    type: "string",
    placeholder: "folder",
    summary: "Work in this folder (default: the current one)",
  },
  help: { type: "boolean", short: "h", summary: "Show this help" },
  version: { type: "boolean", short: "v", summary: "Show the version" },
  verbose: { type: "boolean", summary: "Show more, also the stack of an error" },
  quiet: { type: "boolean", short: "q", summary: "Show only problems and results" },
};

/** The same, as the help of one command names them. */
export function globalOptionsOf({ verbose }: Command): Record<string, OptionSpec> {
  if (verbose === undefined) return globalOptions;
  const summary = `Show ${verbose} too, and the stack of an error`;
  return { ...globalOptions, verbose: { ...globalOptions["verbose"]!, summary } };
}
