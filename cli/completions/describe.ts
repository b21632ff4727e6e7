import {
  type Command,
  type CommandGroup,
  type CommandRegistry,
  globalOptions,
  globalOptionsOf,
  isGroup,
  type OptionSpec,
  type PositionalSpec,
} from "../terminal/command.ts";

/** Completions after a command, or before one is typed. */
export interface Completion {
  /** Words that lead here, such as `migrate up`; empty at the start. */
  path: string;
  /** Commands that may follow. */
  commands: { name: string; summary: string }[];
  options: CompletedOption[];
  /** Possible values of each argument. */
  positionals: CompletedArgument[];
}

/** Choices of an argument, or the kind of its values. */
export type CompletedArgument = readonly string[] | NonNullable<PositionalSpec["completes"]>;

/**
 * Pipelines that list the names of a project, for shells of POSIX and fish. Names that a shell would
 * expand stay out of them: whoever made the files of a project does not write commands of its users.
 */
export const nameLists = {
  routes: "framework routes --json 2>/dev/null | " +
    `sed -nE 's|^ *"pattern": "(/[A-Za-z0-9._~/:*-]*)",?$|\\1|p' | sort -u`,
  seeds: "ls seeds 2>/dev/null | sed -nE 's/^([A-Za-z0-9_][A-Za-z0-9._-]*)\\.(ts|sql)$/\\1/p'",
};

/** An option with all its spellings. */
export interface CompletedOption {
  /** Flags such as `--port` and `-p`. */
  flags: string[];
  summary: string;
  /** Kind of value that follows: none, a file, one of several words, or any text. */
  value: "none" | "file" | "any" | readonly string[];
}

/**
 * Describes all possible input, from the same objects that parse it.
 *
 * @param registry The commands; each is loaded.
 */
export async function describeCompletions(registry: CommandRegistry): Promise<Completion[]> {
  return await describeRegistry(registry, []);
}

async function describeRegistry(
  registry: CommandRegistry,
  words: string[],
): Promise<Completion[]> {
  const own: Completion = {
    path: words.join(" "),
    commands: Object.entries(registry).map(([name, { summary }]) => ({ name, summary })),
    options: completedOptions(globalOptions),
    positionals: [],
  };
  const inner = Object.entries(registry).map(async ([name, entry]) => {
    const loaded: Command | CommandGroup = await entry.load();
    const path = [...words, name];
    return isGroup(loaded)
      ? await describeRegistry(loaded.commands, path)
      : [describeCommand(loaded, path)];
  });
  return [own, ...(await Promise.all(inner)).flat()];
}

function describeCommand(command: Command, words: string[]): Completion {
  const { options, positionals = [] } = command;
  return {
    path: words.join(" "),
    commands: [],
    options: completedOptions({ ...options, ...globalOptionsOf(command) }),
    positionals: positionals.map(({ choices, completes = "file" }: PositionalSpec) =>
      choices ?? completes
    ),
  };
}

function completedOptions(options: Record<string, OptionSpec>): CompletedOption[] {
  return Object.entries(options).map(([name, spec]) => ({
    flags: [
      `--${name}`,
      ...(spec.short === undefined ? [] : [`-${spec.short}`]),
      ...(spec.type === "boolean" && spec.default === true ? [`--no-${name}`] : []),
    ],
    summary: spec.summary,
    value: valueOf(spec),
  }));
}

function valueOf({ type, choices, placeholder }: OptionSpec): CompletedOption["value"] {
  if (type === "boolean") return "none";
  return choices ?? (placeholder === "file" ? "file" : "any");
}
