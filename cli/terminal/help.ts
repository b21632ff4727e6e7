import { VERSION } from "../version.ts";
import {
  type Command,
  type CommandGroup,
  type CommandRegistry,
  globalOptions,
  globalOptionsOf,
  type OptionSpec,
} from "./command.ts";
import type { Colors } from "./output.ts";

/**
 * Renders the overview of all commands.
 *
 * @param commands The registry; no command is loaded.
 * @param color Colours for stdout.
 */
export function renderOverview(commands: CommandRegistry, color: Colors): string {
  return [
    `framework ${VERSION}: full-stack applications for edge workers`,
    "",
    `${color.bold("Usage:")} framework <command> [options]`,
    "",
    ...commandSection(commands, color),
    ...optionSection("Options:", globalOptions, color),
    "Run `framework <command> --help` for the options of a command.",
    "",
  ].join("\n");
}

/**
 * Renders the help of a group of commands.
 *
 * @param group The group.
 * @param color Colours for stdout.
 */
export function renderGroup(group: CommandGroup, color: Colors): string {
  return [
    `${group.summary}.`,
    "",
    `${color.bold("Usage:")} framework ${group.name} <command> [options]`,
    "",
    ...commandSection(group.commands, color),
    ...optionSection("Global options:", globalOptions, color),
  ].join("\n");
}

/**
 * Renders the help of one command.
 *
 * @param command The command.
 * @param color Colours for stdout.
 */
export function renderCommand(command: Command, color: Colors): string {
  const examples = command.examples ?? [];
  return [
    `${command.summary}.`,
    "",
    `${color.bold("Usage:")} framework ${command.name} ${usageOf(command)}`,
    "",
    ...section("Arguments:", argumentsOf(command), color),
    ...optionSection("Options:", command.options, color),
    ...optionSection("Global options:", globalOptionsOf(command), color),
    ...(examples.length === 0 ? [] : [
      color.bold("Examples:"),
      ...examples.map((line) => `  ${line}`),
      "",
    ]),
  ].join("\n");
}

function usageOf(command: Command): string {
  if (command.usage !== undefined) return command.usage;
  const words = (command.positionals ?? []).map(({ name, required, many }) =>
    `${required ? `<${name}>` : `[${name}]`}${many ? "..." : ""}`
  );
  const passed = command.passes === undefined ? [] : [`[-- ${command.passes.name}]`];
  return [...words, "[options]", ...passed].join(" ");
}

function argumentsOf({ positionals = [], passes }: Command): [string, string][] {
  const rows = positionals.map(({ name, summary }): [string, string] => [`<${name}>`, summary]);
  return passes === undefined ? rows : [...rows, ["--", passes.summary]];
}

function commandSection(commands: CommandRegistry, color: Colors): string[] {
  const rows = Object.entries(commands).map(([name, { summary }]): [string, string] => [
    name,
    summary,
  ]);
  return section("Commands:", rows, color);
}

function optionSection(
  title: string,
  options: Record<string, OptionSpec>,
  color: Colors,
): string[] {
  const rows = Object.entries(options).map(([name, spec]): [string, string] => [
    optionLabel(name, spec),
    spec.summary + defaultLabel(spec),
  ]);
  return section(title, rows, color);
}

function optionLabel(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "    " : `-${spec.short}, `;
  if (spec.type === "boolean") return `${short}--${spec.default === true ? "[no-]" : ""}${name}`;
  return `${short}--${name} <${spec.placeholder ?? spec.type}>`;
}

function defaultLabel(spec: OptionSpec): string {
  if (spec.default === undefined || spec.default === false) return "";
  return ` (default: ${spec.default === true ? "on" : spec.default})`;
}

function section(title: string, rows: [string, string][], color: Colors): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${color.cyan(label.padEnd(width))}  ${text}`);
  return [color.bold(title), ...lines, ""];
}
