/**
 * The checks and test runs that `deno task ok` and `deno task test` are made of.
 *
 * @module
 */

import { availableParallelism } from "node:os";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { runLimited, runShard, shardLimit } from "./run_shard.ts";
import { addReports, emptyReport, type TestReport } from "./test_report.ts";
import type { Shard } from "./test_shards.ts";

/** A piece of work of which several run side by side. */
export interface Job {
  name: string;
  /** How long it may take; decides only what is begun first. */
  seconds: number;
  run(): Promise<{ report: TestReport; output: string }>;
}

/** A check by Deno itself: passed when its exit code is 0. */
export function checkJob(
  name: string,
  { args, seconds }: { args: string[]; seconds: number },
): Job {
  return {
    name,
    seconds,
    async run() {
      const { code, output, timedOut } = await runLimited(args, { limit: shardLimit });
      const report = emptyReport();
      if (code === 0) return { report: { ...report, passed: 1 }, output: "" };
      const message = timedOut ? "did not end" : `exit code ${code}`;
      report.failures.push({ file: name, name: `deno ${args.join(" ")}`, message });
      return { report: { ...report, failed: 1 }, output };
    },
  };
}

/**
 * Types of code and examples, in one program: what runs later is not checked again.
 *
 * @param paths Files and folders. Markdown counts only where its file is named.
 */
export function typesJob(paths: readonly string[]): Job {
  return checkJob("types", { args: ["check", "--quiet", "--doc", ...paths], seconds: 1000 });
}

/**
 * Format, lint, types, and what publishing to JSR would refuse besides them: slow types, files, names.
 *
 * @param tested The files that hold tests and examples.
 */
export function sourceJobs(tested: readonly string[]): Job[] {
  const publish = ["publish", "--dry-run", "--allow-dirty", "--quiet", "--no-check"];
  return [
    checkJob("format", { args: ["fmt", "--check"], seconds: 1003 }),
    checkJob("lint", { args: ["lint", "--quiet"], seconds: 1002 }),
    checkJob("publish dry run", { args: publish, seconds: 1001 }),
    typesJob([".", ...tested.filter((file) => file.endsWith(".md"))]),
  ];
}

/** The tests and examples of some files. */
export function shardJob(shard: Shard): Job {
  return { name: shard.name, seconds: shard.seconds, run: () => runShard(shard) };
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
 * Runs jobs side by side, the longest first, and prints each when it has ended: what it wrote, and a line of its own.
 *
 * @param options `workers`: how many run at a time. Default: as many as there are processors, between two and four.
 */
export async function runJobs(
  jobs: readonly Job[],
  { workers = Math.min(4, Math.max(2, availableParallelism())) }: { workers?: number } = {},
): Promise<TestReport> {
  const queue = jobs.toSorted((a, b) => b.seconds - a.seconds);
  const reports: TestReport[] = [];
  async function work(): Promise<void> {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const started = performance.now();
      const { report, output } = await job.run();
      reports.push(report);
      if (output !== "") say(output);
      const verdict = report.failed === 0 ? "ok" : "FAILED";
      const skipped = report.skipped.length === 0 ? "" : `, ${report.skipped.length} skipped`;
      say(
        `[${reports.length}/${jobs.length}] ${job.name} ... ${verdict} (${report.passed} passed, ` +
          `${report.failed} failed${skipped}, ${seconds(performance.now() - started)})`,
      );
    }
  }
  await Promise.all(Array.from({ length: workers }, work));
  return addReports(reports);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The lines that tell which files took longest, and what failed. */
export function summarize({ failures, seconds: times }: TestReport): string[] {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, 10);
  const lines: string[] = [];
  if (slowest.length > 0) lines.push("The slowest files:");
  for (const [file, time] of slowest) lines.push(`  ${time.toFixed(1).padStart(6)} s ${file}`);
  if (failures.length > 0) lines.push("Failures:");
  for (const { file, name, message } of failures) {
    lines.push(`  ${file}: ${name}`, `    ${message}`);
  }
  return lines;
}

/** Prints the closing line, and returns the exit code that goes with it. */
export function conclude(report: TestReport): number {
  say(`${report.passed} passed, ${report.failed} failed`);
  return report.failed === 0 && report.passed > 0 ? 0 : 1;
}

/** Prints lines on stdout, with colours only where somebody looks. */
export function say(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n`);
}
