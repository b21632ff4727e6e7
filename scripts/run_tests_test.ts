import assert from "node:assert/strict";
import { judgeSkips } from "./run_tests.ts";
import { emptyReport } from "./test_report.ts";

const report = {
  ...emptyReport(),
  passed: 3,
  skipped: [
    { file: "./tests/a_test.ts", name: "a walk in the browser" },
    { file: "./tests/b_test.ts", name: "a binary [unavoidable: no denort here]" },
  ],
};

Deno.test("judgeSkips() tells what was skipped and how to avoid it", () => {
  const judged = judgeSkips(report, { strict: false, hints: ["Chromium is missing"] });
  assert.equal(judged.report.failed, 0);
  assert.deepEqual(judged.lines, [
    "Skipped 2:",
    "  ./tests/a_test.ts: a walk in the browser",
    "  ./tests/b_test.ts: a binary [unavoidable: no denort here]",
    "  Chromium is missing",
  ]);
});

Deno.test("judgeSkips() fails a skip that could be avoided when it is strict", () => {
  const judged = judgeSkips(report, { strict: true, hints: [] }).report;
  assert.equal(judged.failed, 1);
  assert.deepEqual(judged.failures.map(({ name }) => name), ["a walk in the browser"]);
});

Deno.test("judgeSkips() says nothing when nothing was skipped", () => {
  const none = judgeSkips({ ...report, skipped: [] }, { strict: true, hints: ["Chromium"] });
  assert.deepEqual(none.lines, []);
});
