import assert from "node:assert/strict";
import { type Job, runJobs, summarize } from "./checks.ts";
import { emptyReport } from "./test_report.ts";

Deno.test("runJobs() runs every job once, two at a time, the longest first, and adds their reports", async () => {
  const begun: string[] = [];
  let [running, most] = [0, 0];
  const jobs = [1, 4, 2, 3].map((seconds): Job => ({
    name: `job ${seconds}`,
    seconds,
    async run() {
      begun.push(`job ${seconds}`);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      const seen = new Map([["a_test.ts", 1]]);
      return { report: { ...emptyReport(), passed: seconds, seconds: seen }, output: "" };
    },
  }));
  const report = await runJobs(jobs, { workers: 2 });
  assert.deepEqual(begun, ["job 4", "job 3", "job 2", "job 1"]);
  assert.equal(most, 2);
  assert.deepEqual([report.passed, report.failed, report.seconds.get("a_test.ts")], [10, 0, 4]);
});

Deno.test("summarize() lists ten slowest files and every failure", () => {
  const seconds = new Map(Array.from({ length: 12 }, (_, i) => [`f${i}_test.ts`, i + 0.25]));
  const failures = [{ file: "f1_test.ts", name: "a > b", message: "Error: x" }];
  const lines = summarize({ ...emptyReport(), failed: 1, seconds, failures });
  assert.equal(lines.length, 1 + 10 + 1 + 2);
  assert.equal(lines[1], "    11.3 s f11_test.ts");
  assert.deepEqual(lines.slice(-3), ["Failures:", "  f1_test.ts: a > b", "    Error: x"]);
});
