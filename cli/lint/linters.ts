import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { ProjectConfig } from "../config/load.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { isListed } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { runPackage, runProgram, type ToolResult, type ToolRun } from "../tools/run.ts";
import { findDeno } from "../tools/runtime.ts";
import type { LintProblem } from "./conventions.ts";

/** A linter that the project uses. */
export type LinterName = "eslint" | "biome" | "oxlint" | "deno lint";

const configFiles: [LinterName, RegExp | string[]][] = [
  ["eslint", ["js", "mjs", "cjs", "ts", "mts", "cts"].map((end) => `eslint.config.${end}`)],
  ["biome", ["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"]],
  ["oxlint", [".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.config.ts"]],
];
const packages = { eslint: "eslint", biome: "@biomejs/biome", oxlint: "oxlint" };

/**
 * Finds the linter of a project: the first of ESLint, Biome and oxlint that it configures or lists
 * in `package.json`, otherwise Deno's built-in one, if Deno is installed.
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
 * Returns the package of a linter.
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
      // Without a .gitignore it would also check installed packages.
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

/**
 * Lists source files for Biome, which excludes files only by its configuration and otherwise checks
 * exactly the files that it is given.
 */
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
  // Some linters print colours even without a terminal.
  const text = stripVTControlCharacters(`${stderr}\n${stdout}`);
  const said = text.split("\n").filter((line) => line.trim() !== "");
  const reason = said.slice(0, 5).join("\n");
  return new CliError(`${linter} failed (exit code ${code}).\n${reason}`, {
    exitCode: ExitCode.config,
    hint: "Correct its configuration, or what it reports.",
  });
}

/** Parts of ESLint's report that are read. */
interface EslintReport {
  filePath: string;
  messages: {
    ruleId: string | null;
    severity: number;
    message: string;
    line?: number;
    column?: number;
    endLine?: number;
    endColumn?: number;
  }[];
}

interface BiomeReport {
  diagnostics: {
    severity: string;
    message: string;
    category: string;
    location?: { path?: string; start?: Place; end?: Place };
  }[];
}

interface OxlintReport {
  diagnostics: {
    message: string;
    code?: string;
    severity: string;
    filename: string;
    help?: string;
    labels?: { span: { line: number; column: number } }[];
  }[];
}

interface DenoReport {
  diagnostics: {
    filename: string;
    range: { start: DenoPlace; end: DenoPlace };
    message: string;
    code: string;
    hint: string | null;
  }[];
  errors: { ["file_path"]: string; message: string }[];
}

interface Place {
  line: number;
  column: number;
}

interface DenoPlace {
  line: number;
  col: number;
}

type Found = Omit<LintProblem, "tool">;

/**
 * Reads a linter's JSON output.
 *
 * @param linter Which linter.
 * @param text Its standard output.
 * @param root Absolute path of the project.
 * @returns null when it printed something else.
 */
export function readReport(linter: LinterName, text: string, root: string): LintProblem[] | null {
  const start = text.search(/^\s*[[{]/m);
  let report: unknown;
  try {
    report = JSON.parse(text.slice(Math.max(start, 0)));
  } catch {
    return null;
  }
  const found = readers[linter](report as never);
  return found.map((problem) => ({
    ...problem,
    file: displayPath(root, absolute(problem.file, root)),
    tool: linter,
  }));
}

const readers: Record<LinterName, (report: never) => Found[]> = {
  eslint: readEslint,
  biome: readBiome,
  oxlint: readOxlint,
  "deno lint": readDeno,
};

function readEslint(report: EslintReport[]): Found[] {
  return report.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, severity, message, line, column, endLine, endColumn }) => ({
      file: filePath,
      line: line ?? 1,
      column: column ?? 1,
      ...(endLine === undefined || endColumn === undefined ? {} : { endLine, endColumn }),
      severity: severity === 2 ? "error" : "warning",
      rule: ruleId,
      message,
    }))
  );
}

function readBiome({ diagnostics }: BiomeReport): Found[] {
  const seen = new Set<string>();
  return diagnostics.flatMap(({ severity, message, category, location }): Found[] => {
    const found: Found = {
      file: location?.path ?? ".",
      line: location?.start?.line ?? 1,
      column: location?.start?.column ?? 1,
      ...(location?.end === undefined
        ? {}
        : { endLine: location.end.line, endColumn: location.end.column }),
      severity: severity === "error" || severity === "fatal" ? "error" : "warning",
      rule: category === "parse" ? null : category,
      message,
    };
    // A syntax error is reported once per pass.
    const key = JSON.stringify(found);
    if (seen.has(key)) return [];
    seen.add(key);
    return [found];
  });
}

function readOxlint({ diagnostics }: OxlintReport): Found[] {
  return diagnostics.map(({ message, code, severity, filename, help, labels }) => ({
    file: filename,
    line: labels?.[0]?.span.line ?? 1,
    column: labels?.[0]?.span.column ?? 1,
    severity: severity === "error" ? "error" : "warning",
    rule: code ?? null,
    message: withHint(message, help),
  }));
}

function readDeno({ diagnostics, errors }: DenoReport): Found[] {
  return [
    ...diagnostics.map(({ filename, range, message, code, hint }): Found => ({
      file: filename,
      line: range.start.line,
      column: range.start.col + 1,
      endLine: range.end.line,
      endColumn: range.end.col + 1,
      severity: "error",
      rule: code,
      message: withHint(message, hint),
    })),
    ...errors.map((error): Found => ({
      file: error["file_path"],
      ...placeIn(error.message),
      severity: "error",
      rule: null,
      message: error.message.split("\n")[0] ?? "",
    })),
  ];
}

/**
 * Reads the position of a syntax error, which Deno puts at the end of the message's first line: `…
 * at file:///a.ts:1:7`.
 */
function placeIn(message: string): Place {
  const [, line, column] = /:(\d+):(\d+)\s*$/m.exec(message) ?? [];
  return { line: Number(line ?? 1), column: Number(column ?? 1) };
}

function withHint(message: string, hint: string | null | undefined): string {
  if (!hint) return message;
  return `${/[.!?]$/.test(message) ? message : `${message}.`} ${hint}`;
}

function absolute(file: string, root: string): string {
  if (file.startsWith("file:")) return fileURLToPath(file);
  return isAbsolute(file) ? file : join(root, file);
}
