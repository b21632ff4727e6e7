import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type ModuleNames,
  placeOf,
  readExportedLimit,
  readModuleNames,
  readSchedule,
} from "../app/exports.ts";
import { type AppScan, scanApp } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import { impossibleCron } from "../platform/cron_expression.ts";
import {
  errorPageKinds,
  missingExport,
  type ModuleKind,
  routeMethods,
} from "../runtime/manifest.ts";
import { CliError } from "../terminal/exit.ts";
import { suggest } from "../terminal/suggestion.ts";
import { displayPath } from "../tools/paths.ts";

/** Problem found by a linter or a check of the framework's conventions. */
export interface LintProblem {
  /** Relative to the project, with forward slashes. */
  file: string;
  /** Line, counted from 1. */
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
  severity: "error" | "warning";
  /** Rule; null for a syntax error. */
  rule: string | null;
  message: string;
  /** Origin of the problem: `framework`, or the linter's name. */
  tool: string;
}

/** Orders problems by file, then by position. */
export function compareProblems(a: LintProblem, b: LintProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** Formats counts, such as `2 problems (1 error, 1 warning)`. */
export function countProblems(problems: readonly LintProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const parts = [[errors, "error"], [warnings, "warning"]] as const;
  const named = parts.filter(([count]) => count > 0).map(([count, word]) => plural(count, word));
  return `${plural(problems.length, "problem")} (${named.join(", ")})`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

const kinds: Record<string, ModuleKind> = {
  "page.tsx": "page",
  "layout.tsx": "layout",
  "route.ts": "route",
  "middleware.ts": "middleware",
  "loading.tsx": "loading",
  ...Object.fromEntries(errorPageKinds.map((kind) => [`${kind}.tsx`, "error page" as const])),
};
/** Exports that the runtime reads, by kind of file. */
const read: Record<ModuleKind, readonly string[]> = {
  page: [
    "default",
    "loader",
    "action",
    "metadata",
    "headers",
    "csp",
    "prerender",
    "session",
    "bodyLimit",
    "input",
    "search",
    "prefetch",
  ],
  layout: ["default", "loader", "metadata", "headers", "csp", "session", "prefetch"],
  route: [...routeMethods, "session", "bodyLimit", "input", "prefetch"],
  middleware: ["middleware"],
  "error page": ["default", "metadata"],
  loading: ["default"],
  queue: ["queue"],
  cron: ["schedule", "scheduled"],
};

interface SourceFile {
  path: string;
  source: string;
  names: ModuleNames;
}

/**
 * Checks an application against the framework's conventions, which general linters do not know.
 *
 * @param config The project.
 * @throws {CliError} Exit code 2 when there is no application folder.
 */
export async function checkConventions(config: ProjectConfig): Promise<LintProblem[]> {
  const problems: LintProblem[] = [];
  const scan = await scanOrReport(config, problems);
  const files = readSources(config.appDir);
  for (const file of files) {
    const add = (at: number, problem: Pick<LintProblem, "rule" | "message" | "severity">): void => {
      const place = placeOf(file.source, at);
      const shown = displayPath(config.root, file.path);
      problems.push({ file: shown, ...place, ...problem, tool: "framework" });
    };
    checkExports(file, scan, add);
  }
  if (scan !== null) problems.push(...findUnused(scan, files, config.root));
  return problems;
}

async function scanOrReport(
  { appDir, root }: ProjectConfig,
  problems: LintProblem[],
): Promise<AppScan | null> {
  try {
    return await scanApp(appDir);
  } catch (error) {
    if (!(error instanceof CliError) || !existsSync(appDir)) throw error;
    for (const message of error.message.split("\n")) {
      const file = displayPath(root, fileOf(message, dirname(appDir)) ?? appDir);
      problems.push({
        file,
        line: 1,
        column: 1,
        severity: "error",
        rule: "route-tree",
        message,
        tool: "framework",
      });
    }
    return null;
  }
}

/** Returns the path at the start of a message, which may contain spaces. */
function fileOf(message: string, folder: string): string | undefined {
  for (let end = message.lastIndexOf(" "); end > 0; end = message.lastIndexOf(" ", end - 1)) {
    const path = join(folder, message.slice(0, end));
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** Reads all scripts of the application. A folder that a link reaches again is read once. */
function readSources(appDir: string): SourceFile[] {
  const seen = new Set<string>();
  const found: SourceFile[] = [];
  function walk(folder: string): void {
    const real = realpathSync(folder);
    if (seen.has(real)) return;
    seen.add(real);
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      const kind = statSync(path, { throwIfNoEntry: false });
      if (kind?.isDirectory() && name !== "node_modules") walk(path);
      if (!kind?.isFile() || !/\.tsx?$/.test(name) || name.endsWith(".d.ts")) continue;
      const source = readFileSync(path, "utf8");
      const names = readModuleNames(source, name);
      if (names !== null) found.push({ path, source, names });
    }
  }
  walk(appDir);
  return found;
}

type Add = (at: number, problem: Pick<LintProblem, "rule" | "message" | "severity">) => void;

function checkExports(file: SourceFile, scan: AppScan | null, add: Add): void {
  const { exports, stars } = file.names;
  const exported = exports.map(({ name }) => name);
  if (scan !== null && authFiles(scan).includes(file.path)) {
    if (stars.length === 0 && !exported.includes("default")) {
      const message = "has no default export, so that its configuration would not be read.";
      add(0, { rule: "missing-export", severity: "error", message: `This file ${message}` });
    }
    return;
  }
  if (scan?.cron.includes(file.path)) checkSchedule(file, add);
  const kind = kinds[basename(file.path)];
  if (kind === undefined || isPrivate(file.path, scan)) return;
  const missing = stars.length > 0 ? null : missingExport(kind, exported);
  if (missing !== null) {
    add(0, { rule: "missing-export", severity: "error", message: `This file ${missing}.` });
  }
  for (const { name, at } of exports) {
    if (!read[kind].includes(name)) add(at, judgeUnknown(name, kind));
    else if (name === "bodyLimit") {
      const { problem } = readExportedLimit(file.source, file.path);
      if (problem === null) continue;
      add(at, { rule: "body-limit", severity: "error", message: `This file ${problem}.` });
    }
  }
}

function checkSchedule({ names, source }: SourceFile, add: Add): void {
  const at = names.exports.find(({ name }) => name === "schedule")?.at ?? 0;
  for (const expression of readSchedule(source) ?? []) {
    const problem = impossibleCron(expression);
    if (problem === null) continue;
    const message = `The schedule ${JSON.stringify(expression)} ${problem}.`;
    add(at, { rule: "schedule", severity: "error", message });
  }
}

/**
 * Returns true for a private file. When the tree has no errors, files that the scan does not list
 * are private or apply to nothing.
 */
function isPrivate(path: string, scan: AppScan | null): boolean {
  if (scan === null) return /[\\/]_/.test(path);
  return path.slice(scan.appDir.length).split(/[\\/]/).some((part) => part.startsWith("_"));
}

function authFiles({ auth }: AppScan): string[] {
  return Object.values(auth).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry ?? {})
  );
}

function judgeUnknown(
  name: string,
  kind: ModuleKind,
): Pick<LintProblem, "rule" | "message" | "severity"> {
  const rule = "unknown-export";
  if (kind === "page" && routeMethods.includes(name)) {
    const message = `A page exports no ${name}. Move it to a route.ts of another folder, ` +
      "or write an action.";
    return { rule, severity: "error", message };
  }
  const what = kind === "error page" ? "An error page" : `A ${kind}`;
  const guess = suggest(name, read[kind]);
  if (guess === undefined || name === "default") {
    const message = `${what} does not use an export named "${name}".`;
    return { rule, severity: "warning", message };
  }
  const message = `${what} does not use an export named "${name}". Did you mean "${guess}"?`;
  return { rule, severity: "error", message };
}

/** Finds layouts and middleware that apply to nothing. */
function findUnused(
  { routes, errorPages, appDir }: AppScan,
  files: readonly SourceFile[],
  root: string,
): LintProblem[] {
  const used = new Set(
    [...errorPages, ...routes.flatMap((route) => [route, ...route.errorPages])]
      .flatMap((page) => [...page.layouts, ...("middleware" in page ? page.middleware : [])]),
  );
  return files.flatMap(({ path }): LintProblem[] => {
    const kind = kinds[basename(path)];
    if ((kind !== "layout" && kind !== "middleware") || used.has(path)) return [];
    if (isPrivate(path, { appDir } as AppScan)) return [];
    const what = kind === "layout" ? "page" : "page and no route";
    return [{
      file: displayPath(root, path),
      line: 1,
      column: 1,
      severity: "warning",
      rule: `unused-${kind}`,
      message: `This ${kind} applies to no ${what}.`,
      tool: "framework",
    }];
  });
}
