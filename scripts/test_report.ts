/**
 * Reads the JUnit report of `deno test`.
 *
 * @module
 */

/** How the tests of one run ended. */
export interface TestReport {
  passed: number;
  failed: number;
  skipped: SkippedTest[];
}

/** A test that was not run. */
export interface SkippedTest {
  /** Its file. */
  file: string;
  /** Its name, with the steps that lead to it. */
  name: string;
}

/**
 * Counts the tests and steps of a report.
 *
 * @param xml The report, or an empty string when the run ended before it could write one.
 * @param exitCode Exit code of `deno test`. A failure that the report does not hold (a module that
 * does not load, a type error) counts as one.
 */
export function readReport(xml: string, exitCode: number): TestReport {
  const report: TestReport = { passed: 0, failed: 0, skipped: [] };
  const testcase = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g;
  for (const [, name, file, body] of xml.matchAll(testcase)) {
    if (/<failure[\s>]/.test(body!)) report.failed++;
    else if (/<skipped[\s/>]/.test(body!)) {
      report.skipped.push({ file: unescapeXml(file!), name: unescapeXml(name!) });
    } else report.passed++;
  }
  if (exitCode !== 0 && report.failed === 0) report.failed = 1;
  return report;
}

/** Why a skipped test cannot run on this machine at all: what stands in `[unavoidable: …]` in its name. */
export function unavoidableReason(test: SkippedTest): string | null {
  return /\[unavoidable: ([^\]]+)\]/.exec(test.name)?.[1] ?? null;
}

function unescapeXml(text: string): string {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'").replace(/&amp;/g, "&");
}
