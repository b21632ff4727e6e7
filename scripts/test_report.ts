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
  /** The failures that have a name; `failed` may count more. */
  failures: FailedTest[];
  /** Seconds that the tests of a file took, by the file's path from the repository's root. */
  seconds: Map<string, number>;
}

/** A test that was not run. */
export interface SkippedTest {
  /** Its file. */
  file: string;
  /** Its name, with the steps that lead to it. */
  name: string;
}

/** A test that failed. */
export interface FailedTest extends SkippedTest {
  /** First line of what it said. */
  message: string;
}

/** A report of nothing yet. */
export function emptyReport(): TestReport {
  return { passed: 0, failed: 0, skipped: [], failures: [], seconds: new Map() };
}

/** Adds the counts of several reports. */
export function addReports(reports: TestReport[]): TestReport {
  const sum = emptyReport();
  for (const report of reports) {
    sum.passed += report.passed;
    sum.failed += report.failed;
    sum.skipped.push(...report.skipped);
    sum.failures.push(...report.failures);
    for (const [file, seconds] of report.seconds) {
      sum.seconds.set(file, (sum.seconds.get(file) ?? 0) + seconds);
    }
  }
  return sum;
}

/**
 * Counts the tests and steps of a report.
 *
 * @param xml The report, or an empty string when the run ended before it could write one.
 * @param exitCode Exit code of `deno test`. A failure that the report does not hold (a module that
 * does not load, a type error) counts as one.
 */
export function readReport(xml: string, exitCode: number): TestReport {
  const report = emptyReport();
  const names = new Set<string>();
  const testcase = /<testcase name="([^"]*)" classname="([^"]*)"([^>]*)>([\s\S]*?)<\/testcase>/g;
  for (const [, rawName, rawFile, attributes, body] of xml.matchAll(testcase)) {
    const [name, file] = [unescapeXml(rawName!), testedFile(unescapeXml(rawFile!))];
    const failure = /<failure(?: message="([^"]*)")?/.exec(body!);
    if (failure) {
      report.failed++;
      const message = firstLine(unescapeXml(failure[1] ?? ""));
      // The step that failed is in the report itself.
      if (!/^\d+ test steps? failed$/.test(message)) report.failures.push({ file, name, message });
    } else if (/<skipped[\s/>]/.test(body!)) report.skipped.push({ file, name });
    else report.passed++;
    // The time of a test holds that of its steps, which come after it.
    const isStep = Array.from(name.matchAll(/ > /g))
      .some(({ index }) => names.has(`${file} ${name.slice(0, index)}`));
    names.add(`${file} ${name}`);
    if (!isStep) {
      const seconds = Number(/ time="([\d.]+)"/.exec(attributes!)?.[1] ?? 0);
      report.seconds.set(file, (report.seconds.get(file) ?? 0) + seconds);
    }
  }
  if (exitCode !== 0 && report.failed === 0) report.failed = 1;
  return report;
}

/** Why a skipped test cannot run on this machine at all: what stands in `[unavoidable: …]` in its name. */
export function unavoidableReason(test: SkippedTest): string | null {
  return /\[unavoidable: ([^\]]+)\]/.exec(test.name)?.[1] ?? null;
}

/** The file as a path from the root; of an example, the file in which it stands. */
function testedFile(classname: string): string {
  return classname.replace(/^\.\//, "").replace(/[$#]\d+-\d+\.\w+$/, "");
}

function firstLine(message: string): string {
  return message.split("\n").find((line) => line.trim() !== "")?.trim()
    .replace(/^Uncaught /, "") ?? "";
}

function unescapeXml(text: string): string {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'").replace(
      /&#(?:x([\da-f]+)|(\d+));/gi,
      (_, hex, decimal) =>
        String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16)),
    )
    .replace(/&amp;/g, "&");
}
