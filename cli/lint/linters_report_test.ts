import assert from "node:assert/strict";
import { type LinterName, readReport } from "./linters.ts";

const root = "/project";

/** Output of each linter for one and the same mistake, shortened. */
const recorded: [LinterName, string][] = [
  [
    "eslint",
    JSON.stringify([
      { filePath: "/project/fine.js", messages: [] },
      {
        filePath: "/project/src/a.js",
        messages: [{
          ruleId: "no-debugger",
          severity: 2,
          message: "No debugger.",
          line: 3,
          column: 1,
          endLine: 3,
          endColumn: 10,
        }],
      },
    ]),
  ],
  [
    "biome",
    "The `json` reporter is experimental.\n" + JSON.stringify({
      diagnostics: [{
        severity: "error",
        message: "No debugger.",
        category: "no-debugger",
        location: {
          path: "src/a.js",
          start: { line: 3, column: 1 },
          end: { line: 3, column: 10 },
        },
        advices: [],
      }],
    }),
  ],
  [
    "deno lint",
    JSON.stringify({
      version: 1,
      diagnostics: [{
        filename: "file:///project/src/a.js",
        range: { start: { line: 3, col: 0 }, end: { line: 3, col: 9 } },
        message: "No debugger.",
        code: "no-debugger",
        hint: null,
      }],
      errors: [],
      checked_files: [],
    }),
  ],
];

Deno.test.each(recorded)(
  "readReport() of %s gives file, place, rule and message",
  (linter, text) => {
    assert.deepEqual(readReport(linter, text, root), [{
      file: "src/a.js",
      line: 3,
      column: 1,
      endLine: 3,
      endColumn: 10,
      severity: "error",
      rule: "no-debugger",
      message: "No debugger.",
      tool: linter,
    }]);
  },
);

Deno.test("readReport() of oxlint adds its help to the message", () => {
  const text = JSON.stringify({
    diagnostics: [{
      message: "`debugger` is not allowed",
      code: "eslint(no-debugger)",
      severity: "warning",
      help: "Remove it",
      filename: "src/a.js",
      labels: [{ span: { offset: 14, length: 9, line: 3, column: 1 } }],
    }],
    number_of_files: 2,
  });
  assert.deepEqual(readReport("oxlint", text, root), [{
    file: "src/a.js",
    line: 3,
    column: 1,
    severity: "warning",
    rule: "eslint(no-debugger)",
    message: "`debugger` is not allowed. Remove it",
    tool: "oxlint",
  }]);
});

Deno.test("readReport() of syntax errors has no rule, and each once", () => {
  const eslint = [{
    filePath: "/project/b.js",
    messages: [{
      ruleId: null,
      fatal: true,
      severity: 2,
      message: "Parsing error",
      line: 1,
      column: 7,
    }],
  }];
  assert.equal(readReport("eslint", JSON.stringify(eslint), root)?.[0]?.rule, null);
  const parse = {
    severity: "error",
    message: "Expected",
    category: "parse",
    location: { path: "b.js", start: { line: 1, column: 7 }, end: { line: 1, column: 8 } },
  };
  const biome = readReport("biome", JSON.stringify({ diagnostics: [parse, parse] }), root);
  assert.deepEqual(biome?.map(({ rule }) => rule), [null]);
  const deno = {
    diagnostics: [],
    errors: [{
      file_path: "/project/b.js",
      message: "SyntaxError: Unexpected token\n1 | const = 3;\n    at file:///project/b.js:1:7",
    }],
  };
  assert.deepEqual(readReport("deno lint", JSON.stringify(deno), root), [{
    file: "b.js",
    line: 1,
    column: 7,
    severity: "error",
    rule: null,
    message: "SyntaxError: Unexpected token",
    tool: "deno lint",
  }]);
});

Deno.test("readReport() is null for what is no JSON", () => {
  assert.equal(readReport("eslint", "Oops! Something went wrong!", root), null);
  assert.equal(readReport("deno lint", "", root), null);
});
