/**
 * Runs everything: the checks of the source, and every test with browser, workerd and packed
 * packages. Installs Chromium, PostgreSQL and shells where it may; tests that cannot run are listed with the reason.
 *
 * Usage: `deno task test`
 *
 * With `CI=true` a test that was skipped counts as failed, unless its name says in
 * `[unavoidable: …]` why it cannot run there. The last line is `N passed, N failed`; the exit code
 * is 1 when something failed.
 *
 * @module
 */

import process from "node:process";
import {
  addReports,
  besideSource,
  conclude,
  runChecks,
  runTests,
  say,
  sourceChecks,
} from "./checks.ts";
import { chromiumHint, ensureChromium } from "./chromium.ts";
import { ensurePostgres, postgresHint } from "./postgres.ts";
import { ensureShells, shellsHint } from "./shells.ts";
import { type TestReport, unavoidableReason } from "./test_report.ts";

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
  let failed = report.failed;
  for (const test of report.skipped) {
    const reason = unavoidableReason(test);
    if (!reason && options.strict) failed++;
    lines.push(`  ${test.file}: ${test.name}`);
  }
  if (lines.length > 0) {
    lines.unshift(`Skipped ${lines.length}${options.strict ? " (CI: avoidable ones fail)" : ""}:`);
    lines.push(...options.hints.map((hint) => `  ${hint}`));
  }
  return { report: { ...report, failed }, lines };
}

if (import.meta.main) {
  const hints: string[] = [];
  if (!await ensureChromium(say)) hints.push(chromiumHint);
  if (!await ensurePostgres(say)) hints.push(postgresHint);
  if (!await ensureShells(say)) hints.push(shellsHint);
  const checked = await runChecks(sourceChecks);
  // Side by side: much of either waits for browsers, servers and databases.
  const tested = await Promise.all([
    runTests(["tests"]),
    runTests(besideSource, { together: true }),
  ]);
  const reports = [checked, ...tested];
  const { report, lines } = judgeSkips(addReports(reports), {
    strict: process.env.CI === "true",
    hints,
  });
  for (const line of lines) say(line);
  Deno.exit(conclude(report));
}
