import assert from "node:assert/strict";
import { readReport, unavoidableReason } from "./test_report.ts";

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="3" failures="1" errors="0" time="0.220">
    <testsuite name="./a_test.ts" tests="3" disabled="1" errors="0" failures="1">
        <testcase name="one &lt;ok&gt; &amp; good" classname="./a_test.ts" time="0.000" line="1" col="6">
        </testcase>
        <testcase name="bad" classname="./a_test.ts" time="0.000" line="2" col="6">
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
    skipped: [{ file: "./a_test.ts", name: 'a "walk" [unavoidable: needs a Mac]' }],
  });
});

Deno.test("readReport() counts a failure when the run broke off without a report", () => {
  assert.deepEqual(readReport("", 1), { passed: 0, failed: 1, skipped: [] });
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
