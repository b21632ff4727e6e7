import assert from "node:assert/strict";
import { addReports, emptyReport, readReport, unavoidableReason } from "./test_report.ts";

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="3" failures="1" errors="0" time="0.220">
    <testsuite name="./a_test.ts" tests="3" disabled="1" errors="0" failures="1">
        <testcase name="one &lt;ok&gt; &amp; good" classname="./a_test.ts" time="0.500" line="1" col="6">
        </testcase>
        <testcase name="bad" classname="./a_test.ts" time="0.250" line="2" col="6">
            <failure message="Uncaught Error: x">Error: x</failure>
        </testcase>
        <testcase name="a &quot;walk&quot; [unavoidable: needs a Mac]" classname="./a_test.ts" time="0.000">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>`;

Deno.test("readReport() counts passed, failed and skipped tests", () => {
  const report = readReport(xml, 1);
  assert.deepEqual(report, {
    passed: 1,
    failed: 1,
    skipped: [{ file: "a_test.ts", name: 'a "walk" [unavoidable: needs a Mac]' }],
    failures: [{ file: "a_test.ts", name: "bad", message: "Error: x" }],
    seconds: new Map([["a_test.ts", 0.75]]),
  });
});

Deno.test("readReport() counts a failure when the run broke off without a report", () => {
  assert.deepEqual(readReport("", 1), { ...emptyReport(), failed: 1 });
});

Deno.test("readReport() counts a failure that is in no test, such as a module that does not load", () => {
  const passing = xml.replace(/<failure[\s\S]*<\/failure>/, "");
  assert.equal(readReport(passing, 0).failed, 0);
  assert.equal(readReport(passing, 1).failed, 1);
});

Deno.test("unavoidableReason() reads the reason from the name, and finds none in others", () => {
  const { skipped } = readReport(xml, 1);
  assert.equal(unavoidableReason(skipped[0]!), "needs a Mac");
  assert.equal(unavoidableReason({ file: "./a_test.ts", name: "bad" }), null);
});

Deno.test("readReport() counts the time of a step once, names it and not the test around it", () => {
  const report = readReport(
    `<testcase name="outer" classname="./a_test.ts" time="2.000" line="1" col="1">
       <failure message="1 test step failed">1 test step failed.</failure>
     </testcase>
     <testcase name="outer &gt; inner" classname="./a_test.ts" time="1.500" line="2" col="1">
       <failure message="Uncaught Error: y&#10;more">Error: y</failure>
     </testcase>
     <testcase name="file:///a.ts#3-9.ts" classname="./a.ts#3-9.ts" time="0.500" line="3" col="6">
     </testcase>`,
    1,
  );
  assert.deepEqual([report.passed, report.failed], [1, 2]);
  assert.deepEqual(report.failures, [
    { file: "a_test.ts", name: "outer > inner", message: "Error: y" },
  ]);
  assert.deepEqual(report.seconds, new Map([["a_test.ts", 2], ["a.ts", 0.5]]));
});

Deno.test("addReports() adds counts, lists and times", () => {
  const one = readReport(xml, 1);
  const sum = addReports([one, one]);
  assert.deepEqual([sum.passed, sum.failed, sum.skipped.length, sum.failures.length], [2, 2, 2, 2]);
  assert.equal(sum.seconds.get("a_test.ts"), 1.5);
});
