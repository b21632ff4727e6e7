import type { Keyboard } from "./keyboard.ts";
import type { Output } from "./output.ts";

/** One option of a command. Parsing, help and documentation come from this description. */
export interface OptionSpec {
  /** `integer` is checked and handed over as a number. A boolean whose default is true also has a `--no-` form. */
  type: "boolean" | "string" | "integer";
  /** One letter, for the short form. */
  short?: string;
  /** Value when the user gives none; shown in the help. */
  default?: boolean | string | number;
  /** Smallest accepted value of an `integer`. */
  min?: number;
  /** Largest accepted value of an `integer`. */
  max?: number;
  /** The accepted values of a `string`; without them any is. */
  choices?: readonly string[];
  /** One line of help. */
  summary: string;
  /** Name of the value in the help, for example `port`. Default: the type. */
  placeholder?: string;
}

/** One argument without a dash. */
export interface PositionalSpec {
  /** Name of the argument, shown in the usage line. */
  name: string;
  /** One line of help. */
  summary: string;
  /** Makes a missing value an error. Default: false. */
  required?: boolean;
  /** The accepted values; without them any is. */
  choices?: readonly string[];
  /** Takes all arguments that are left; only the last one can. Default: false. */
  many?: boolean;
}

/** Context of a running command. */
export interface CommandContext {
  /** The folder that the command was started in, absolute. */
  cwd: string;
  /** Options by name, defaults filled in. An option without default that was not given is undefined. */
  values: Record<string, string | number | boolean | undefined>;
  /** Names of the options that the user typed. */
  explicit: Set<string>;
  /** Arguments in order; the required ones are present. */
  positionals: string[];
  /** Value of `--config`. */
  config: string | undefined;
  /** Output of the command. */
  output: Output;
  /** Environment variables. */
  env: Record<string, string | undefined>;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** The commands among which this one is registered. */
  registry: CommandRegistry;
  /** Undefined off a terminal: nobody can be asked there. */
  keyboard: Keyboard | undefined;
}

/** A command. One file per command exports one as `command`. */
export interface Command {
  /** Full name, for example `dev` or `migrate up`. */
  name: string;
  /** One line of help. */
  summary: string;
  /**
   * Text after the name in the usage line. Default: made from the positionals and options.
   */
  usage?: string;
  /** Accepted arguments. Default: none. */
  positionals?: PositionalSpec[];
  /** Accepted options besides the global ones, by long name. */
  options: Record<string, OptionSpec>;
  /**
   * Additional output of `--verbose` besides the stack of an error, as in `layouts and middleware`.
   */
  verbose?: string;
  /** Example lines for the help. */
  examples?: string[];
  /** Does the work; resolves with the exit code. Expected failures are thrown as `CliError`. */
  run(ctx: CommandContext): Promise<number>;
}

/** Commands that share a first word, for example `migrate up` and `migrate status`. */
export interface CommandGroup {
  /** The first word. */
  name: string;
  /** One line of help. */
  summary: string;
  /** The commands by second word. */
  commands: CommandRegistry;
}

/** Commands by name. Each is loaded only when it runs or its own help is shown. */
export type CommandRegistry = Record<string, CommandEntry>;

/** One line of a registry. */
export interface CommandEntry {
  /** The command's summary, here so that the overview loads no command. */
  summary: string;
  /** Imports the command. */
  load(): Promise<Command | CommandGroup>;
}

/** Returns true when a loaded entry is a group of commands. */
export function isGroup(loaded: Command | CommandGroup): loaded is CommandGroup {
  return "commands" in loaded;
}

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
