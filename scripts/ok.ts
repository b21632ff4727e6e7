/**
 * The quick gate: format, lint, types, publish dry run, and the tests that stand beside the source,
 * with the examples of the documentation.
 *
 * Usage: `deno task ok`
 *
 * @module
 */

import { besideSource, conclude, runJobs, say, shardJob, sourceJobs, summarize } from "./checks.ts";
import { divide, findTested, readSlowTests } from "./test_shards.ts";

if (import.meta.main) {
  const files = await findTested(besideSource);
  const shards = divide(files, await readSlowTests());
  const report = await runJobs([...sourceJobs(files), ...shards.map(shardJob)]);
  for (const line of summarize(report)) say(line);
  Deno.exit(conclude(report));
}
