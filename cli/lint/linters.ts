import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ProjectConfig } from "../project/config.ts";
import { displayPath } from "../project/paths.ts";
import { runPackage, runProgram, type ToolResult, type ToolRun } from "../project/run_tool.ts";
import { findDeno } from "../project/runtime_process.ts";
import { isListed } from "../project/tools.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { LintProblem } from "./problem.ts";
import { readReport } from "./report.ts";

/** A linter that the project uses. */
export type LinterName = "eslint" | "biome" | "oxlint" | "deno lint";

const configFiles: [LinterName, RegExp | string[]][] = [
  ["eslint", ["js", "mjs", "cjs", "ts", "mts", "cts"].map((end) => `eslint.config.${end}`)],
  ["biome", ["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"]],
  ["oxlint", [".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.config.ts"]],
];
const packages = { eslint: "eslint", biome: "@biomejs/biome", oxlint: "oxlint" };

/**
 * The linter of a project: the first of ESLint, Biome and oxlint that it configures or lists in `package.json`, else
 * the one that Deno has built in, on a machine with Deno.
 *
 * @param root Absolute path of the project.
 * @param env Environment variables, for `PATH`.
 * @returns undefined when there is none.
 */
export function findLinter(
  root: string,
  env: Record<string, string | undefined>,
): LinterName | undefined {
  for (const [name, files] of configFiles) {
    if ((files as string[]).some((file) => existsSync(join(root, file)))) return name;
  }
  if (isListed("@biomejs/biome", root)) return "biome";
  if (isListed("oxlint", root)) return "oxlint";
  return findDeno(env) === undefined ? undefined : "deno lint";
}

/**
 * The package that a linter is in.
 *
 * @returns undefined for the one that Deno has built in.
 */
export function linterPackage(linter: LinterName): string | undefined {
  return linter === "deno lint" ? undefined : packages[linter];
}

/**
 * Runs a linter over the project.
 *
 * @param linter Which.
 * @param config The project.
 * @param options `fix` lets it correct what it can.
 * @throws {CliError} Exit code 2 when it is not installed or cannot do its work.
 */
export async function runLinter(
  linter: LinterName,
  config: ProjectConfig,
  options: Omit<ToolRun, "root"> & { fix: boolean },
): Promise<LintProblem[]> {
  const { fix, ...run } = options;
  const generated = [displayPath(config.root, config.outDir), ".framework", ".wrangler"];
  const args = argumentsOf(linter, { fix, generated, root: config.root });
  const how = { ...run, root: config.root };
  const result = linter === "deno lint"
    ? await runProgram(findDeno(options.env)!, args, how)
    : await runPackage(packages[linter], args, { ...how, bin: linter });
  const problems = readReport(linter, result.stdout, config.root);
  if (problems === null || (problems.length === 0 && result.code !== 0)) {
    throw cannotRun(linter, result);
  }
  return problems;
}

function argumentsOf(
  linter: LinterName,
  { fix, generated, root }: { fix: boolean; generated: string[]; root: string },
): string[] {
  const ignored = generated.flatMap((folder) => ["--ignore-pattern", `${folder}/`]);
  switch (linter) {
    case "eslint":
      return [".", "--format", "json", ...ignored, ...(fix ? ["--fix"] : [])];
    case "biome":
      return [
        "lint",
        "--reporter=json",
        "--max-diagnostics=none",
        ...(fix ? ["--write"] : []),
        ...sourcesBeside(generated, root),
      ];
    case "oxlint":
      // Without a .gitignore it would look into the packages too.
      return [
        "--format",
        "json",
        ...ignored,
        "--ignore-pattern",
        "node_modules/",
        ...(fix ? ["--fix"] : []),
      ];
    case "deno lint":
      return ["lint", "--json", `--ignore=${generated.join(",")}`, ...(fix ? ["--fix"] : [])];
  }
}

/** Biome is told what to leave out by its configuration alone; what is named to it, nothing else is looked at. */
function sourcesBeside(generated: readonly string[], root: string, folder = ""): string[] {
  const left = ["node_modules", ".git", ...generated];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (left.includes(path)) return [];
    if (!entry.isDirectory()) return isSource.test(entry.name) ? [path] : [];
    const isAround = generated.some((each) => each.startsWith(`${path}/`));
    return isAround ? sourcesBeside(generated, root, `${path}/`) : [path];
  }).sort();
}

const isSource = /\.(?:[cm]?[jt]s|[jt]sx|jsonc?|css|graphql|gql|html|vue|svelte|astro)$/;

function cannotRun(linter: LinterName, { code, stdout, stderr }: ToolResult): CliError {
  // Some colour what they say whether or not anybody sees colours.
  const text = stripVTControlCharacters(`${stderr}\n${stdout}`);
  const said = text.split("\n").filter((line) => line.trim() !== "");
  const reason = said.slice(0, 5).join("\n");
  return new CliError(`${linter} could not do its work (exit code ${code}).\n${reason}`, {
    exitCode: ExitCode.config,
    hint: "Correct its configuration, or what it names.",
  });
}
