/**
 * The quick gate: format, lint, types, publish dry run, and the tests that stand beside the source,
 * with the examples of the documentation.
 *
 * Usage: `deno task ok`
 *
 * @module
 */

import { addReports, besideSource, conclude, runChecks, runTests, sourceChecks } from "./checks.ts";

if (import.meta.main) {
  const reports = [await runChecks(sourceChecks), await runTests(besideSource)];
  Deno.exit(conclude(addReports(reports)));
}
