import { basename, relative, resolve } from "node:path";
import process from "node:process";
import { applicationName, starterApplication } from "../templates/starter_application.ts";
import { writeFiles } from "../templates/write_files.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { VERSION } from "../version.ts";
import type { Command } from "./command.ts";

/** `framework init <dir>`. */
export const command: Command = {
  name: "init",
  summary: "Write a new application",
  positionals: [{
    name: "dir",
    summary: "New or empty folder; its name becomes the application's",
    required: true,
  }],
  options: {},
  examples: ["framework init my-app", "framework init ."],
  async run({ cwd, output, positionals, signal }) {
    const dir = positionals[0] ?? "";
    if (dir === "" || dir.includes("\0")) {
      throw new CliError("The folder's name is empty or holds a NUL character.", {
        hint: "Name a folder, for example `framework init my-app`.",
      });
    }
    const target = resolve(cwd, dir);
    const name = applicationName(basename(target));
    const files = starterApplication({ name, version: VERSION });
    await writeFiles(target, files, { signal });
    output.success(`Wrote ${name}: ${Object.keys(files).length} files in ${target}`);
    for (const line of nextSteps(relative(cwd, target))) output.info(line);
    return ExitCode.ok;
  },
};

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
