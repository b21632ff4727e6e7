import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { displayPath } from "../project/paths.ts";
import type { LinterName } from "./linters.ts";
import type { LintProblem } from "./problem.ts";

/** The parts of ESLint's report that are read. */
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
 * Reads what a linter printed as JSON.
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
    // A syntax error is reported once for each pass.
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

/** Deno tells the place of a syntax error at the end of its message's first line: `… at file:///a.ts:1:7`. */
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
