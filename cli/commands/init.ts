import { basename, relative, resolve } from "node:path";
import process from "node:process";
import { applicationName, starterApplication } from "../templates/starter_application.ts";
import { writeFiles } from "../templates/write.ts";
import type { Command } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { VERSION } from "../version.ts";

/** `framework init <dir>`. */
export const command: Command = {
  name: "init",
  summary: "Create a new application",
  positionals: [{
    name: "dir",
    summary: "New or empty folder",
    required: true,
  }],
  options: {
    name: {
      type: "string",
      placeholder: "NAME",
      summary: "Name of the application and its worker (default: the folder's name)",
    },
  },
  examples: ["framework init my-app", "framework init . --name my-app"],
  async run({ cwd, output, positionals, signal, values }) {
    const dir = positionals[0] ?? "";
    if (dir === "" || dir.includes("\0")) {
      throw new CliError("The folder's name is empty or contains a NUL character.", {
        hint: "Pass a folder, for example `framework init my-app`.",
      });
    }
    const target = resolve(cwd, dir);
    const name = chooseName(values["name"], basename(target));
    const files = starterApplication({ name, version: VERSION });
    await writeFiles(target, files, { signal });
    output.success(`Created ${name}: ${Object.keys(files).length} files in ${target}`);
    for (const line of nextSteps(relative(cwd, target))) output.info(line);
    return ExitCode.ok;
  },
};

/**
 * Returns the application's name. A folder's name is converted; a name that was typed is used
 * literally or refused.
 */
function chooseName(typed: unknown, folder: string): string {
  if (typed === undefined) return applicationName(folder);
  const name = String(typed);
  if (applicationName(name) === name) return name;
  throw new CliError(`"${name}" cannot be used as the name of an application.`, {
    hint: "Use at most 63 lower-case letters, digits and dashes, for example --name my-app.",
  });
}

function nextSteps(folder: string): string[] {
  const deno = process.versions["deno"] !== undefined;
  const steps = deno
    ? ["deno install", "deno task migrate", "deno task dev"]
    : ["npm install", "npm run migrate", "npm run dev"];
  if (folder !== "") steps.unshift(`cd ${quoteForShell(folder)}`);
  return ["", "Next:", ...steps.map((step) => `  ${step}`)];
}

function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
