/**
 * The checks and test runs that `deno task ok` and `deno task test` are made of.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { capture } from "./run_command.ts";
import { readReport, type TestReport } from "./test_report.ts";
import { repositoryRoot } from "./workspace.ts";

/** A check by Deno itself: passed when its exit code is 0. */
export interface Check {
  name: string;
  args: string[];
}

/** Format, lint, types, and what publishing to JSR would refuse. */
export const sourceChecks: Check[] = [
  { name: "format", args: ["fmt", "--check"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "types", args: ["check", "--quiet"] },
  { name: "publish dry run", args: ["publish", "--dry-run", "--allow-dirty", "--quiet"] },
];

/** Runs the checks one after the other, prints one line for each, and all of a failed one's output. */
export async function runChecks(checks: Check[]): Promise<TestReport> {
  const report: TestReport = { passed: 0, failed: 0, skipped: [] };
  for (const { name, args } of checks) {
    const started = performance.now();
    const { code, stdout, stderr } = await capture(Deno.execPath(), args, { cwd: repositoryRoot });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (code === 0) report.passed++;
    else {
      report.failed++;
      say(`${stdout}${stderr}`.trimEnd());
    }
    say(`${name} ... ${code === 0 ? "ok" : "FAILED"} (deno ${args.join(" ")}, ${seconds} s)`);
  }
  return report;
}

/** Where tests stand beside what they test, and where examples stand. The others are in `tests`. */
export const besideSource: readonly string[] = [
  "auth",
  "cli",
  "testing",
  "scripts",
  "mod.ts",
  "docs",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];

/**
 * Runs `deno test --doc`.
 *
 * @param paths Files and folders.
 * @param options `together`: print the output when all is done, for a run beside another one. Default: as it comes.
 */
export async function runTests(
  paths: readonly string[],
  { together = false }: { together?: boolean } = {},
): Promise<TestReport> {
  const folder = await Deno.makeTempDir({ prefix: "framework-test-" });
  const junit = join(folder, "report.xml");
  try {
    const args = ["test", "-A", "--doc", `--junit-path=${junit}`, ...paths];
    const code = together ? await runCaptured(args) : await runInherited(args);
    return readReport(await Deno.readTextFile(junit).catch(() => ""), code);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function runInherited(args: string[]): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: repositoryRoot,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return code;
}

async function runCaptured(args: string[]): Promise<number> {
  const { code, stdout, stderr } = await capture(Deno.execPath(), args, { cwd: repositoryRoot });
  say(`${stdout}${stderr}`.trimEnd());
  return code;
}

/** Adds the counts of several reports. */
export function addReports(reports: TestReport[]): TestReport {
  return {
    passed: reports.reduce((sum, report) => sum + report.passed, 0),
    failed: reports.reduce((sum, report) => sum + report.failed, 0),
    skipped: reports.flatMap((report) => report.skipped),
  };
}

/** Prints the closing line, and returns the exit code that goes with it. */
export function conclude(report: TestReport): number {
  say(`${report.passed} passed, ${report.failed} failed`);
  return report.failed === 0 && report.passed > 0 ? 0 : 1;
}

/** Prints a line on stdout. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
