import type { OptionSpec } from "./command.ts";

/** Options that every command accepts, before or after its name. */
export const globalOptions: Record<string, OptionSpec> = {
  config: {
    type: "string",
    short: "c",
    placeholder: "file",
    summary: "Configuration file (default: framework.config.ts); its folder is the project",
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
