import type { Keyboard } from "./keyboard.ts";
import type { Output } from "./output.ts";

/** Option of a command. Parsing, help and documentation are derived from it. */
export interface OptionSpec {
  /**
   * Type of the value. An `integer` is checked and passed as a number; a boolean whose default is
   * true also has a `--no-` form.
   */
  type: "boolean" | "string" | "integer";
  /** One letter, for the short form. */
  short?: string;
  /** Default value, shown in the help. */
  default?: boolean | string | number;
  /** Minimum of an `integer`. */
  min?: number;
  /** Maximum of an `integer`. */
  max?: number;
  /** Accepted values of a `string`. Default: any. */
  choices?: readonly string[];
  /** One line of help. */
  summary: string;
  /** Name of the value in the help, for example `port`. Default: the type. */
  placeholder?: string;
}

/** Positional argument. */
export interface PositionalSpec {
  /** Name of the argument, shown in the usage line. */
  name: string;
  /** One line of help. */
  summary: string;
  /** Makes a missing value an error. Default: false. */
  required?: boolean;
  /** Accepted values. Default: any. */
  choices?: readonly string[];
  /**
   * What a shell completes: files, the project's routes, its seeds, or nothing, for a new name.
   * Default: `choices`, else files.
   */
  completes?: "file" | "routes" | "seeds" | "none";
  /** Takes all remaining arguments; only the last positional can. Default: false. */
  many?: boolean;
}

/** Arguments that follow `--` for a command that runs another program. */
export interface PassedSpec {
  /** Name in the usage line, for example `runner's options`. */
  name: string;
  /** One line of help. */
  summary: string;
  /** An option of that program, for the hint of an error. */
  example: string;
}

/** Context of a running command. */
export interface CommandContext {
  /** The folder that the command was started in, absolute. */
  cwd: string;
  /** Options by name, with defaults. An option that has no default and was not given is undefined. */
  values: Record<string, string | number | boolean | undefined>;
  /** Names of the options that the user typed. */
  explicit: Set<string>;
  /** Positional arguments in order; required ones are present. */
  positionals: string[];
  /** Arguments after `--`, for a command that passes them on. */
  passed: string[];
  /** Value of `--config`. */
  config: string | undefined;
  /** Output of the command. */
  output: Output;
  /** Environment variables. */
  env: Record<string, string | undefined>;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** Commands among which this one is registered. */
  registry: CommandRegistry;
  /** The keyboard; undefined without a terminal, where nobody can be asked. */
  keyboard: Keyboard | undefined;
}

/** A command. Each command's file exports one as `command`. */
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
  /** Passes what follows `--` on to another program. Default: these are positional arguments too. */
  passes?: PassedSpec;
  /** Accepted options besides the global ones, by long name. */
  options: Record<string, OptionSpec>;
  /**
   * Additional output of `--verbose` besides the stack of an error, such as `layouts and
   * middleware`.
   */
  verbose?: string;
  /** Example lines for the help. */
  examples?: string[];
  /** Runs the command; resolves with the exit code. Expected failures are thrown as `CliError`. */
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
  /** Summary of the command, here so that the overview does not load the command. */
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
    summary: "Configuration file (default: framework.config.ts), in the project or a folder of it",
  },
  cwd: {
    type: "string",
    placeholder: "folder",
    summary: "Work in this folder (default: the current one)",
  },
  help: { type: "boolean", short: "h", summary: "Show this help" },
  version: { type: "boolean", short: "v", summary: "Show the version" },
  verbose: { type: "boolean", summary: "Show more, including the stack trace of an error" },
  quiet: { type: "boolean", short: "q", summary: "Show only problems and results" },
};

/** Returns the global options as the help of one command describes them. */
export function globalOptionsOf({ verbose }: Command): Record<string, OptionSpec> {
  if (verbose === undefined) return globalOptions;
  const summary = `Show ${verbose} too, and the stack trace of an error`;
  return { ...globalOptions, verbose: { ...globalOptions["verbose"]!, summary } };
}
