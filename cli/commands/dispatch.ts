import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  parseCommandArguments,
  readGlobalFlags,
  refuseUnknownOptions,
  takeCommandName,
} from "../terminal/arguments.ts";
import {
  type Command,
  type CommandGroup,
  type CommandRegistry,
  isGroup,
} from "../terminal/command.ts";
import { CliError, ExitCode, renderJsonError } from "../terminal/exit.ts";
import { renderCommand, renderGroup, renderOverview } from "../terminal/help.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import { createOutput, type Output, type TextStream } from "../terminal/output.ts";
import { unsupportedRuntime } from "../terminal/program.ts";
import { describeRefusedWrite } from "../terminal/refused_write.ts";
import { suggest } from "../terminal/suggestion.ts";
import { VERSION } from "../version.ts";

/** Environment of one run. */
export interface CliIo {
  /** Absolute path of the folder that the command works in. */
  cwd: string;
  /** Environment variables, such as `NO_COLOR` and the platform's credentials. */
  env: Record<string, string | undefined>;
  /** Stream for data, such as JSON. */
  stdout: TextStream;
  /** Stream for progress and problems. */
  stderr: TextStream;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** The keyboard; left out when there is no terminal. */
  keyboard?: Keyboard | undefined;
  /** Versions of the runtime, as `process.versions`. */
  versions: Record<string, string | undefined>;
}

/**
 * Runs one command line.
 *
 * @param argv Arguments without runtime and script.
 * @param io The outside world.
 * @param commands The commands.
 * @returns The exit code. Never rejects.
 */
export async function dispatch(
  argv: readonly string[],
  io: CliIo,
  commands: CommandRegistry,
): Promise<number> {
  const { verbose, quiet } = readGlobalFlags(argv);
  const output = createOutput({
    stdout: io.stdout,
    stderr: io.stderr,
    env: io.env,
    verbose,
    quiet,
  });
  try {
    const unsupported = unsupportedRuntime(io.versions);
    if (unsupported !== undefined) {
      const { message, hint } = unsupported;
      throw new CliError(message, { exitCode: ExitCode.config, hint });
    }
    const code = await route(argv, { io, output, registry: commands, words: [] });
    return io.signal.aborted ? ExitCode.interrupted : code;
  } catch (error) {
    if (io.signal.aborted) return ExitCode.interrupted;
    return report(error, output);
  }
}

interface Routing {
  io: CliIo;
  output: Output;
  registry: CommandRegistry;
  /** Words before this command, for example `migrate`. */
  words: string[];
  /** Shows help for `framework help <command>`. */
  help?: boolean;
  group?: CommandGroup;
}

async function route(argv: readonly string[], routing: Routing): Promise<number> {
  const { output, registry, words, group } = routing;
  const { name, rest } = takeCommandName(argv);
  if (name === undefined) return withoutCommand(rest, routing);
  if (group === undefined && name === "help" && !routing.help) {
    return route(rest, { ...routing, help: true });
  }
  const entry = Object.hasOwn(registry, name) ? registry[name] : undefined;
  if (entry === undefined) throw unknownCommand(name, registry, words);

  const loaded = await entry.load();
  if (isGroup(loaded)) {
    const inner = { ...routing, registry: loaded.commands, words: [...words, name], group: loaded };
    return route(rest, inner);
  }
  const flags = readGlobalFlags(rest, loaded.options);
  if (flags.help || routing.help) output.data(renderCommand(loaded, output.dataColor));
  else if (flags.version) output.data(VERSION);
  else return await run(rest, loaded, routing);
  return ExitCode.ok;
}

function withoutCommand(argv: readonly string[], routing: Routing): number {
  const { output, registry, words, group } = routing;
  const flags = readGlobalFlags(argv);
  if (flags.version && !flags.help) {
    output.data(VERSION);
    return ExitCode.ok;
  }
  if (!flags.help && !routing.help) {
    refuseUnknownOptions(argv, words.join(" "));
    if (group !== undefined) {
      throw new CliError(`The command \`framework ${group.name}\` needs a subcommand.`, {
        hint: `Use one of: ${Object.keys(registry).join(", ")}.`,
      });
    }
  }
  output.data(
    group === undefined
      ? renderOverview(registry, output.dataColor)
      : renderGroup(group, output.dataColor),
  );
  return ExitCode.ok;
}

async function run(
  argv: readonly string[],
  command: Command,
  { io, output, registry }: Routing,
): Promise<number> {
  try {
    const { values, explicit, positionals, passed } = parseCommandArguments(argv, command);
    const config = values["config"];
    return await command.run({
      cwd: workingFolder(values["cwd"], io.cwd),
      values,
      explicit,
      positionals,
      passed,
      config: typeof config === "string" ? config : undefined,
      output,
      env: io.env,
      signal: io.signal,
      keyboard: io.keyboard,
      registry,
    });
  } catch (thrown) {
    const error = describeRefusedWrite(thrown) ?? thrown;
    // A reader of stdout that expects JSON finds the reason there too.
    if (wantsJson(argv, command) && !io.signal.aborted) output.data(renderJsonError(error));
    throw error;
  }
}

function workingFolder(wanted: unknown, current: string): string {
  if (typeof wanted !== "string") return current;
  const folder = resolve(current, wanted);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new CliError(`The folder ${folder} of --cwd does not exist.`, {
    exitCode: ExitCode.config,
    hint: "Pass the project folder.",
  });
}

/** Returns true when `--json` was given, according to the raw arguments: parsing may be what failed. */
function wantsJson(argv: readonly string[], command: Command): boolean {
  return "json" in command.options && argv.includes("--json");
}

function unknownCommand(name: string, registry: CommandRegistry, words: string[]): CliError {
  const guess = suggest(name, Object.keys(registry));
  const before = ["framework", ...words].join(" ");
  return new CliError(
    `Unknown command ${JSON.stringify([...words, name].join(" "))}.` +
      (guess === undefined ? "" : ` Did you mean "${[...words, guess].join(" ")}"?`),
    { hint: `Run \`${before} --help\` to see the commands.` },
  );
}

function report(error: unknown, output: Output): number {
  if (error instanceof CliError) {
    output.error(error.message, error.hint);
    if (error.cause instanceof Error) output.detail(error.cause.stack ?? error.cause.message);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  output.error(
    message,
    output.verbose ? undefined : "Run again with --verbose to see the stack trace.",
  );
  if (error instanceof Error && error.stack !== undefined) output.detail(error.stack);
  return ExitCode.failure;
}
