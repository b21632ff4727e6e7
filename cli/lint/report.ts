import { type Colors, printable } from "../terminal/output.ts";
import { VERSION } from "../version.ts";
import { countProblems, type LintProblem } from "./conventions.ts";

/** Report formats of `framework lint`. */
export const lintFormats = ["stylish", "json", "github", "junit", "sarif"] as const;

/** One of {@linkcode lintFormats}. */
export type LintFormat = (typeof lintFormats)[number];

/** Options for a report, besides the problems. */
export interface ReportOptions {
  /** Name of the linter that ran besides the convention checks; undefined when there is none. */
  linter: string | undefined;
  color: Colors;
}

/**
 * Formats a report.
 *
 * @param format Which format.
 * @param problems In order.
 * @param options Linter and colours; only `stylish` has colours.
 * @returns Empty when the format has nothing to say about nothing.
 */
export function formatProblems(
  format: LintFormat,
  problems: readonly LintProblem[],
  options: ReportOptions,
): string {
  switch (format) {
    case "stylish":
      return stylish(problems, options.color);
    case "json":
      return json(problems, options.linter);
    case "github":
      return problems.map(githubLine).join("\n");
    case "junit":
      return junit(problems);
    case "sarif":
      return sarif(problems, options.linter);
  }
}

function stylish(problems: readonly LintProblem[], color: Colors): string {
  if (problems.length === 0) return "";
  const lines: string[] = [];
  for (const [file, found] of byFile(problems)) {
    lines.push(color.bold(printable(file)));
    // Not Math.max with a spread list: a report may have more problems than a call allows
    // arguments.
    const width = found.reduce(
      (width, { line, column }) => Math.max(width, `${line}:${column}`.length),
      0,
    );
    for (const { line, column, severity, message, rule } of found) {
      const paint = severity === "error" ? color.red : color.yellow;
      const place = `${line}:${column}`.padStart(width);
      const name = rule === null ? "" : `  ${color.dim(printable(rule))}`;
      const start = `  ${color.dim(place)}  ${paint(severity.padEnd(7))}`;
      lines.push(`${start}  ${printable(message)}${name}`);
    }
    lines.push("");
  }
  const failed = problems.some(({ severity }) => severity === "error");
  lines.push((failed ? color.red : color.yellow)(countProblems(problems)));
  return lines.join("\n");
}

function json(problems: readonly LintProblem[], linter: string | undefined): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return JSON.stringify(
    { linter: linter ?? null, errors, warnings: problems.length - errors, problems },
    null,
    2,
  );
}

/** @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function githubLine({ file, line, column, severity, rule, message, tool }: LintProblem): string {
  const place = `file=${property(file)},line=${line},col=${column}`;
  const title = property(rule === null ? tool : `${tool}: ${rule}`);
  return `::${severity} ${place},title=${title}::${escape(message)}`;

  function escape(text: string): string {
    return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  }
  function property(text: string): string {
    return escape(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  }
}

function junit(problems: readonly LintProblem[]): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>'];
  // A report without test cases looks like one of a run that never took place.
  const tests = Math.max(problems.length, 1);
  lines.push(`<testsuites name="framework lint" tests="${tests}" failures="${problems.length}">`);
  if (problems.length === 0) {
    lines.push('  <testsuite name="lint" tests="1" failures="0">');
    lines.push('    <testcase classname="lint" name="no problems"/>');
    lines.push("  </testsuite>");
  }
  for (const [file, found] of byFile(problems)) {
    const count = `tests="${found.length}" failures="${found.length}"`;
    lines.push(`  <testsuite name="${xml(file)}" ${count}>`);
    for (const { line, column, severity, rule, message, tool } of found) {
      const name = xml(`${rule ?? tool} (${line}:${column})`);
      lines.push(`    <testcase classname="${xml(file)}" name="${name}">`);
      lines.push(
        `      <failure type="${severity}" message="${xml(message)}">` +
          `${xml(`${file}:${line}:${column}`)}</failure>`,
      );
      lines.push("    </testcase>");
    }
    lines.push("  </testsuite>");
  }
  return [...lines, "</testsuites>"].join("\n");
}

/** Escapes text for XML; characters that XML 1.0 does not allow are removed. */
function xml(text: string): string {
  return text
    // deno-lint-ignore no-control-regex -- control characters are the subject here.
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "")
    .replace(/[&<>"\n\r\t]/g, (found) => `&#${found.charCodeAt(0)};`);
}

/** @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
function sarif(problems: readonly LintProblem[], linter: string | undefined): string {
  const runs = ["framework", ...linter === undefined ? [] : [linter]].map((tool) => {
    const own = problems.filter((problem) => problem.tool === tool);
    const rules = [...new Set(own.flatMap(({ rule }) => rule ?? []))];
    return {
      tool: {
        driver: {
          name: tool,
          ...(tool === "framework" ? { version: VERSION } : {}),
          rules: rules.map((id) => ({ id })),
        },
      },
      results: own.map(sarifResult),
    };
  });
  return JSON.stringify(
    { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs },
    null,
    2,
  );
}

function sarifResult({ file, rule, severity, message, ...place }: LintProblem) {
  const { line, column, endLine, endColumn } = place;
  return {
    ...(rule === null ? {} : { ruleId: rule }),
    level: severity,
    message: { text: message },
    locations: [{
      physicalLocation: {
        artifactLocation: { uri: encodeURI(file), uriBaseId: "%SRCROOT%" },
        region: {
          startLine: Math.max(line, 1),
          startColumn: Math.max(column, 1),
          ...(endLine === undefined ? {} : { endLine, endColumn }),
        },
      },
    }],
  };
}

function byFile(problems: readonly LintProblem[]): Map<string, LintProblem[]> {
  const files = new Map<string, LintProblem[]>();
  for (const problem of problems) {
    const own = files.get(problem.file);
    if (own === undefined) files.set(problem.file, [problem]);
    else own.push(problem);
  }
  return files;
}
