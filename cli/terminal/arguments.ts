import { parseArgs } from "node:util";
import { type Command, globalOptions, type OptionSpec, type PassedSpec } from "./command.ts";
import { CliError } from "./exit.ts";
import { didYouMean } from "./suggestion.ts";

type Value = string | number | boolean;
type Options = Record<string, OptionSpec>;

/** Parsed arguments of a command. */
export interface ParsedArguments {
  values: Record<string, Value | undefined>;
  explicit: Set<string>;
  positionals: string[];
  /** Arguments after `--`, for a command that passes them on. */
  passed: string[];
}

/** Global switches, read leniently: they must apply even when the rest of the command line is wrong. */
export interface GlobalFlags {
  help: boolean;
  version: boolean;
  verbose: boolean;
  quiet: boolean;
}

/**
 * Reads the global switches of a command line.
 *
 * @param argv All arguments.
 * @param options The options of the command, so that their values are not taken for switches.
 */
export function readGlobalFlags(argv: readonly string[], options: Options = {}): GlobalFlags {
  const given = new Set<string>();
  for (const token of tokenize(argv, { ...options, ...globalOptions })) {
    if (token.kind === "option") given.add(token.name);
  }
  return {
    help: given.has("help"),
    version: given.has("version"),
    verbose: given.has("verbose"),
    quiet: given.has("quiet"),
  };
}

/**
 * Splits off the command's name: the first argument that is neither an option nor the value of a global one.
 *
 * @param argv Arguments.
 * @returns The name, undefined when there is none, and the other arguments in order.
 */
export function takeCommandName(
  argv: readonly string[],
): { name: string | undefined; rest: string[] } {
  const token = tokenize(argv, globalOptions).find((item) =>
    item.kind === "positional" || item.kind === "option-terminator"
  );
  if (token?.kind !== "positional") return { name: undefined, rest: [...argv] };
  return { name: token.value, rest: argv.toSpliced(token.index, 1) };
}

/**
 * Parses the arguments of a command strictly.
 *
 * @param argv Arguments without the command's name.
 * @param command The command.
 * @throws {CliError} Exit code 1 for unknown options, missing or wrong values, missing or surplus arguments.
 */
export function parseCommandArguments(argv: readonly string[], command: Command): ParsedArguments {
  const options = { ...command.options, ...globalOptions };
  const values: Record<string, Value | undefined> = {};
  for (const [name, spec] of Object.entries(options)) values[name] = spec.default;
  const explicit = new Set<string>();
  const positionals: string[] = [];
  const tokens = tokenize(argv, options);
  const end = command.passes === undefined
    ? undefined
    : tokens.find(({ kind }) => kind === "option-terminator")?.index;

  for (const token of tokens) {
    if (end !== undefined && token.index >= end) break;
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, value } = readOption(token, options, command);
    values[name] = value;
    explicit.add(name);
  }
  checkPositionals(positionals, command);
  return { values, explicit, positionals, passed: end === undefined ? [] : argv.slice(end + 1) };
}

/**
 * Refuses options before or instead of a command's name that are not global.
 *
 * @param argv Arguments without a command's name.
 * @param words The words before, for example `migrate`; empty at the top.
 */
export function refuseUnknownOptions(argv: readonly string[], words: string): void {
  for (const token of tokenize(argv, globalOptions)) {
    if (token.kind === "option") readOption(token, globalOptions, { name: words });
  }
}

type Token = ReturnType<typeof tokenize>[number];
type OptionToken = Extract<Token, { kind: "option" }>;

/**
 * Splits arguments without strict parsing: the messages of this module name what is accepted, those
 * of `parseArgs` do not.
 */
function tokenize(argv: readonly string[], options: Options) {
  const entries = Object.entries(options).map(([name, { type, short }]) =>
    [name, {
      type: type === "boolean" ? "boolean" as const : "string" as const,
      ...(short === undefined ? {} : { short }),
    }] as const
  );
  return parseArgs({
    args: [...argv],
    options: Object.fromEntries(entries),
    allowPositionals: true,
    strict: false,
    tokens: true,
  }).tokens;
}

function readOption(
  token: OptionToken,
  options: Options,
  { name: command, passes }: Pick<Command, "name" | "passes">,
): { name: string; value: Value } {
  const { name, rawName } = token;
  const spec = Object.hasOwn(options, name) ? options[name] : undefined;
  if (spec === undefined) {
    const positive = name.startsWith("no-") ? name.slice(3) : "";
    const negated = Object.hasOwn(options, positive) ? options[positive] : undefined;
    if (negated?.type !== "boolean" || negated.default !== true) {
      throw unknownOption(rawName, options, { command, passes });
    }
    if (token.inlineValue) throw usage(`The option ${rawName} takes no value.`, command);
    return { name: positive, value: false };
  }
  if (spec.type === "boolean") {
    if (token.inlineValue) throw usage(`The option ${rawName} takes no value.`, command);
    return { name, value: true };
  }
  const text = token.value;
  if (text === undefined || (!token.inlineValue && /^-./.test(text))) {
    const found = text === undefined ? "" : `, found ${text}`;
    throw usage(`The option ${rawName} needs a value${found}.`, command);
  }
  if (spec.type === "integer") return { name, value: toInteger(text, spec) };
  refuseOtherChoice(text, spec.choices, { what: `The option ${rawName}`, command });
  return { name, value: text };

  function toInteger(text: string, spec: OptionSpec): number {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
    const { min = -Infinity, max = Infinity } = spec;
    if (value >= min && value <= max) return value;
    const range = spec.min === undefined || spec.max === undefined ? "" : ` from ${min} to ${max}`;
    throw usage(
      `The option ${rawName} needs a whole number${range}, found ${JSON.stringify(text)}.`,
      command,
    );
  }
}

function unknownOption(
  rawName: string,
  options: Options,
  { command, passes }: { command: string; passes: PassedSpec | undefined },
): CliError {
  const names = Object.entries(options).flatMap(([name, spec]) =>
    spec.default === true ? [`--${name}`, `--no-${name}`] : [`--${name}`]
  );
  const guess = rawName.startsWith("--") ? didYouMean(rawName, names) : "";
  const message = `Unknown option ${JSON.stringify(rawName)}.${guess}`;
  if (passes === undefined) return usage(message, command);
  return new CliError(message, {
    hint: `Run \`framework ${command} --help\` to see what it accepts. ` +
      `The ${passes.name} follow \`--\`, for example \`framework ${command} -- ${passes.example}\`.`,
  });
}

function checkPositionals(positionals: string[], command: Command): void {
  const specs = command.positionals ?? [];
  const missing = specs.find((spec, index) => spec.required && positionals[index] === undefined);
  if (missing !== undefined) throw missingArgument(missing.name, command);
  for (const [index, { name, choices }] of specs.entries()) {
    const text = positionals[index];
    if (text !== undefined) {
      refuseOtherChoice(text, choices, { what: `The argument <${name}>`, command: command.name });
    }
  }
  const surplus = positionals[specs.length];
  if (surplus !== undefined && specs.at(-1)?.many !== true) {
    throw usage(`Unexpected argument ${JSON.stringify(surplus)}.`, command.name);
  }
}

function missingArgument(name: string, command: Command): CliError {
  const [example] = command.examples ?? [];
  const message = `The argument <${name}> is missing.`;
  if (example === undefined) return usage(message, command.name);
  return new CliError(message, { hint: `Run, for example, \`${example}\`.` });
}

function refuseOtherChoice(
  text: string,
  choices: readonly string[] | undefined,
  { what, command }: { what: string; command: string },
): void {
  if (choices === undefined || choices.includes(text)) return;
  const accepted = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  const guess = didYouMean(text, choices);
  throw usage(`${what} must be ${accepted}, found ${JSON.stringify(text)}.${guess}`, command);
}

function usage(message: string, command: string): CliError {
  const words = command === "" ? "framework" : `framework ${command}`;
  return new CliError(message, { hint: `Run \`${words} --help\` to see what it accepts.` });
}
