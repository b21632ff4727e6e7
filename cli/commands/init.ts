import { basename, relative, resolve } from "node:path";
import process from "node:process";
import { applicationName, starterApplication } from "../templates/starter_application.ts";
import { type TemplateName, templates } from "../templates/small_applications.ts";
import { writeFiles } from "../templates/write.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { ask } from "../terminal/keyboard.ts";
import { runProgram } from "../tools/run.ts";
import { findOnPath } from "../tools/runtime.ts";
import { VERSION } from "../version.ts";

/** `framework init <dir>`. */
export const command: Command = {
  name: "init",
  summary: "Create a new application",
  positionals: [{ name: "dir", summary: "New or empty folder" }],
  options: {
    name: {
      type: "string",
      placeholder: "NAME",
      summary: "Name of the application and its worker (default: the folder's name)",
    },
    template: {
      type: "string",
      placeholder: "template",
      default: "full",
      choices: Object.keys(templates),
      summary: "Files to begin with: everything, one page, or an API only",
    },
    git: { type: "boolean", default: true, summary: "Create a git repository" },
    editor: { type: "boolean", default: true, summary: "Add settings for editors (.vscode)" },
    agents: { type: "boolean", default: true, summary: "Add notes for coding agents (AGENTS.md)" },
    yes: { type: "boolean", short: "y", summary: "Do not ask; use the defaults" },
  },
  examples: [
    "framework init my-app",
    "framework init my-app --template bare --no-agents",
    "framework init . --name my-app --yes",
  ],
  async run(ctx) {
    const { cwd, output, signal, values } = ctx;
    const { dir, template, git, editor, agents } = await choose(ctx);
    if (dir === "" || dir.includes("\0")) {
      throw new CliError("The folder's name is empty or contains a NUL character.", {
        hint: "Pass a folder, for example `framework init my-app`.",
      });
    }
    const target = resolve(cwd, dir);
    const name = chooseName(values["name"], basename(target));
    const files = starterApplication({ name, version: VERSION, template, editor, agents });
    await writeFiles(target, files, { signal });
    const count = Object.keys(files).length;
    output.success(`Created ${name}: ${count} files in ${target}`);
    if (git) await createRepository(target, ctx);
    for (const line of nextSteps(relative(cwd, target), template)) output.info(line);
    return ExitCode.ok;
  },
};

interface Choice {
  dir: string;
  template: TemplateName;
  git: boolean;
  editor: boolean;
  agents: boolean;
}

/** Takes the choices from the command line, and asks for the others where there is a terminal. */
async function choose({ positionals, values, explicit, ...ctx }: CommandContext): Promise<Choice> {
  const { output, signal, keyboard } = ctx;
  const isAsking = keyboard !== undefined && values["yes"] !== true && !output.quiet;
  const given = positionals[0];
  if (given === undefined && !isAsking) {
    throw new CliError("The argument <dir> is missing.", {
      hint: "Pass a folder, for example `framework init my-app`.",
    });
  }
  const terminal = keyboard && { output, signal, keyboard };
  const dir = given ??
    await ask("Folder? [my-app]", (line) => line === "" ? "my-app" : line, terminal!);
  const template = isAsking && !explicit.has("template")
    ? await ask(templateQuestion(), readTemplate, terminal!)
    : values["template"] as TemplateName;
  return {
    dir,
    template,
    git: await yesOrNo("git", "Create a git repository?"),
    editor: await yesOrNo("editor", "Add settings for editors (.vscode)?"),
    agents: await yesOrNo("agents", "Add notes for coding agents (AGENTS.md)?"),
  };

  async function yesOrNo(option: string, question: string): Promise<boolean> {
    if (!isAsking || explicit.has(option)) return values[option] === true;
    return await ask(`${question} [Y/n]`, readYesOrNo, terminal!);
  }
}

function templateQuestion(): string {
  const lines = Object.entries(templates).map(([name, content]) =>
    `  ${name.padEnd(5)} ${content}`
  );
  return `Template? [full]\n${lines.join("\n")}`;
}

function readTemplate(line: string): TemplateName | undefined {
  const names = Object.keys(templates) as TemplateName[];
  const typed = line.toLowerCase();
  const found = names.filter((name) => name.startsWith(typed));
  return typed === "" ? "full" : found.length === 1 ? found[0] : undefined;
}

function readYesOrNo(line: string): boolean | undefined {
  if (line === "" || /^y(es)?$/i.test(line)) return true;
  return /^no?$/i.test(line) ? false : undefined;
}

/**
 * Creates a git repository, unless the folder is in one, or there is no git and nobody has typed
 * `--git`.
 */
async function createRepository(
  target: string,
  { env, explicit, output, signal }: CommandContext,
): Promise<void> {
  const git = findOnPath("git", env);
  if (git === undefined) {
    if (!explicit.has("git")) return;
    throw new CliError(
      "The application was created without a repository: git is not on the PATH.",
      {
        hint: "Install git, then run `git init` in the folder.",
      },
    );
  }
  const options = { root: target, env, signal };
  const inside = await runProgram(git, ["rev-parse", "--is-inside-work-tree"], options);
  if (inside.code === 0) return;
  const { code, stderr } = await runProgram(git, ["init", "--quiet"], options);
  if (code === 0) return output.success("Created a git repository");
  output.warn(`git init failed: ${stderr.trim()}`);
}

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

function nextSteps(folder: string, template: TemplateName): string[] {
  const [tool, run] = process.versions["deno"] === undefined
    ? ["npm", "npm run"]
    : ["deno", "deno task"];
  const tasks = template === "bare" ? ["dev"] : ["migrate", "dev"];
  const steps = [`${tool} install`, ...tasks.map((task) => `${run} ${task}`)];
  if (folder !== "") steps.unshift(`cd ${quoteForShell(folder)}`);
  return ["", "Next:", ...steps.map((step) => `  ${step}`)];
}

function quoteForShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
