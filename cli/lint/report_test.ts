import assert from "node:assert/strict";
import { createColors } from "../terminal/output.ts";
import { formatProblems, type LintFormat } from "./report.ts";
import type { LintProblem } from "./conventions.ts";

const problems: LintProblem[] = [
  {
    file: "app/a,b/page.tsx",
    line: 3,
    column: 12,
    endLine: 3,
    endColumn: 20,
    severity: "error",
    rule: "no-x",
    message: 'Do not\nwrite "x" & 100% <y>.',
    tool: "eslint",
  },
  {
    file: "app/a,b/page.tsx",
    line: 10,
    column: 1,
    severity: "warning",
    rule: null,
    message: "Hm.\x1b[2J",
    tool: "framework",
  },
];

function format(format: LintFormat, found: LintProblem[] = problems): string {
  return formatProblems(format, found, { linter: "eslint", color: createColors(false) });
}

Deno.test("formatProblems() stylish groups by file and counts", () => {
  assert.equal(
    format("stylish"),
    `app/a,b/page.tsx
  3:12  error    Do not
write "x" & 100% <y>.  no-x
  10:1  warning  Hm.�[2J

2 problems (1 error, 1 warning)`,
  );
});

Deno.test("formatProblems() json holds counts, linter and problems", () => {
  const { linter, errors, warnings, problems: found } = JSON.parse(format("json"));
  assert.deepEqual([linter, errors, warnings, found], ["eslint", 1, 1, problems]);
});

Deno.test("formatProblems() github escapes what would end a property or the line", () => {
  assert.equal(
    format("github").split("\n")[0],
    "::error file=app/a%2Cb/page.tsx,line=3,col=12,title=eslint%3A no-x::" +
      'Do not%0Awrite "x" & 100%25 <y>.',
  );
});

Deno.test("formatProblems() junit is XML without characters that XML has not", () => {
  const xml = format("junit");
  assert.ok(xml.includes('<testsuites name="framework lint" tests="2" failures="2">'));
  assert.ok(xml.includes("Do not&#10;write &#34;x&#34; &#38; 100% &#60;y&#62;."));
  assert.equal(xml.includes("\x1b"), false);
  assert.match(format("junit", []), /tests="1" failures="0"/);
});

Deno.test("formatProblems() sarif has one run for each tool", () => {
  const { version, runs } = JSON.parse(format("sarif"));
  assert.equal(version, "2.1.0");
  assert.deepEqual(
    runs.map(({ tool }: { tool: { driver: { name: string } } }) => tool.driver.name),
    [
      "framework",
      "eslint",
    ],
  );
  assert.deepEqual(runs[1].tool.driver.rules, [{ id: "no-x" }]);
  assert.deepEqual(runs[1].results[0].locations[0].physicalLocation, {
    artifactLocation: { uri: "app/a,b/page.tsx", uriBaseId: "%SRCROOT%" },
    region: { startLine: 3, startColumn: 12, endLine: 3, endColumn: 20 },
  });
  assert.equal(runs[0].results[0].level, "warning");
  assert.equal("ruleId" in runs[0].results[0], false);
});

Deno.test("formatProblems() of nothing is empty where a reader expects lines", () => {
  assert.equal(format("stylish", []), "");
  assert.equal(format("github", []), "");
  assert.deepEqual(JSON.parse(format("json", [])).problems, []);
  assert.equal(JSON.parse(format("sarif", [])).runs.length, 2);
});
