import assert from "node:assert/strict";
import { createColors } from "./output.ts";
import { formatDiagnostic } from "./diagnostics.ts";

const plain = createColors(false);

Deno.test("formatDiagnostic() shows file, line, column, the line and a mark under the place", () => {
  const text = formatDiagnostic({
    message: 'Expected ";" but found "b"',
    file: "app/page.tsx",
    line: 12,
    column: 4,
    length: 2,
    lineText: "a\tb bb c",
    notes: ["see there (app/x.ts:1:1)"],
  }, plain);
  assert.equal(
    text,
    `app/page.tsx:12:4 Expected ";" but found "b"
  12 | a b bb c
     |    ^^
  see there (app/x.ts:1:1)`,
  );
});

Deno.test("formatDiagnostic() shows only the message of a problem without a place", () => {
  assert.equal(formatDiagnostic({ message: "No.", notes: [] }, plain), "No.");
});

Deno.test("formatDiagnostic() cuts a line that would fill the terminal, around the place", () => {
  const lineText = `${"x".repeat(5000)}HERE${"y".repeat(5000)}`;
  const text = formatDiagnostic(
    { message: "m", file: "f", line: 1, column: 5001, length: 4, lineText, notes: [] },
    plain,
  );
  const [, line = "", mark = ""] = text.split("\n");
  assert.ok(line.length < 200);
  assert.equal(line.slice(mark.indexOf("^"), mark.lastIndexOf("^") + 1), "HERE");
});
