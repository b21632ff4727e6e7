/** Something that a linter or a check of the framework's conventions found. */
export interface LintProblem {
  /** Relative to the project, with forward slashes. */
  file: string;
  /** Counted from 1, as all places. */
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
  severity: "error" | "warning";
  /** Null for a syntax error. */
  rule: string | null;
  message: string;
  /** Who found it: `framework`, or the linter's name. */
  tool: string;
}

/** The order of a report: by file, then by place. */
export function compareProblems(a: LintProblem, b: LintProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** Counts in words, as in `2 problems (1 error, 1 warning)`. */
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
