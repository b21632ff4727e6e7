/**
 * The quick gate: format, lint, types, publish dry run, and the tests that stand beside the source,
 * with the examples of the documentation.
 *
 * Usage: `deno task ok`
 *
 * @module
 */

import { addReports, conclude, runChecks, runTests, sourceChecks } from "./checks.ts";

const beside = [
  "auth",
  "cli",
  "testing",
  "scripts",
  "mod.ts",
  "docs",
  "README.md",
  "CONTRIBUTING.md",
];

if (import.meta.main) {
  const reports = [await runChecks(sourceChecks), await runTests(beside)];
  Deno.exit(conclude(addReports(reports)));
}
