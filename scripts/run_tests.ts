/**
 * Runs everything: the checks of the source, and every test with browser, workerd and packed
 * packages. Installs Chromium, PostgreSQL and shells where it may; tests that cannot run are listed with the reason.
 *
 * Usage: `deno task test [--all] [--remember] [PATHS]`
 *
 * With paths, only the tests and examples of these files and folders run, and only their types are checked.
 * `--all` runs the matrix too: old versions, and frameworks and drivers that take minutes to install or compile.
 * `--remember` writes down how long the slow files took, by which they are divided (`slow_tests.json`).
 *
 * With `CI=true` a test that was skipped counts as failed, unless its name says in
 * `[unavoidable: …]` why it cannot run there. The last line is `N passed, N failed`; the exit code
 * is 1 when something failed.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  besideSource,
  conclude,
  runJobs,
  say,
  shardJob,
  sourceJobs,
  summarize,
  typesJob,
} from "./checks.ts";
import { chromiumHint, ensureChromium } from "./chromium.ts";
import { ensurePostgres, postgresHint } from "./postgres.ts";
import { ensureShells, shellsHint } from "./shells.ts";
import { type TestReport, unavoidableReason } from "./test_report.ts";
import {
  divide,
  findTested,
  isTestFile,
  readSlowTests,
  slowSeconds,
  slowTestsFile,
} from "./test_shards.ts";
import { exists, repositoryRoot } from "./workspace.ts";

/**
 * Judges the skipped tests: where nothing may be skipped, each becomes a failure.
 *
 * @returns The report with its counts, and the lines that tell what was skipped and why.
 */
export function judgeSkips(
  report: TestReport,
  options: { strict: boolean; hints: string[] },
): { report: TestReport; lines: string[] } {
  const lines: string[] = [];
  const failures = [...report.failures];
  let failed = report.failed;
  for (const test of report.skipped) {
    const reason = unavoidableReason(test);
    if (!reason && options.strict) {
      failed++;
      failures.push({ ...test, message: "skipped, which it may not be here" });
    }
    lines.push(`  ${test.file}: ${test.name}`);
  }
  if (lines.length > 0) {
    lines.unshift(`Skipped ${lines.length}${options.strict ? " (CI: avoidable ones fail)" : ""}:`);
    lines.push(...options.hints.map((hint) => `  ${hint}`));
  }
  return { report: { ...report, failed, failures }, lines };
}

/** Writes down the seconds of the slow files of a run; what did not run, and is still there, keeps its own. */
async function remember({ seconds }: TestReport): Promise<void> {
  const slow = [...seconds].filter(([file, time]) => isTestFile(file) && time >= slowSeconds)
    .map(([file, time]): [string, number] => [file, Math.round(time)]);
  for (const [file, time] of Object.entries(await readSlowTests())) {
    if (!seconds.has(file) && await exists(join(repositoryRoot, file))) slow.push([file, time]);
  }
  slow.sort(([a], [b]) => a < b ? -1 : 1);
  await Deno.writeTextFile(
    slowTestsFile,
    `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`,
  );
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      all: { type: "boolean", default: false },
      remember: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.all) process.env.TEST_MATRIX = "true";
  const hints: string[] = [];
  if (!await ensureChromium(say)) hints.push(chromiumHint);
  if (!await ensurePostgres(say)) hints.push(postgresHint);
  if (!await ensureShells(say)) hints.push(shellsHint);
  const chosen = positionals.length > 0;
  const files = await findTested(chosen ? positionals : [...besideSource, "tests"]);
  const shards = divide(files, await readSlowTests());
  const tested = await runJobs([
    ...(chosen ? [typesJob(files)] : sourceJobs(files)),
    ...shards.map(shardJob),
  ]);
  if (values.remember) await remember(tested);
  const { report, lines } = judgeSkips(tested, { strict: process.env.CI === "true", hints });
  for (const line of [...summarize(report), ...lines]) say(line);
  if (!values.all) say("Without the matrix of versions and frameworks, which --all runs.");
  Deno.exit(conclude(report));
}
