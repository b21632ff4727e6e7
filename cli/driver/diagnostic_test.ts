import assert from "node:assert/strict";
import { toDiagnostic } from "./diagnostic.ts";

Deno.test("toDiagnostic() counts columns from 1 and in characters, not in bytes", () => {
  const lineText = 'const é = "ü" oops;';
  const column = new TextEncoder().encode('const é = "ü" ').byteLength;
  const diagnostic = toDiagnostic({
    text: "Unexpected",
    location: { file: "a.ts", line: 3, column, length: 4, lineText },
    notes: [{ text: "Note", location: null }],
  });
  assert.deepEqual(diagnostic, {
    message: "Unexpected",
    file: "a.ts",
    line: 3,
    column: lineText.indexOf("oops") + 1,
    length: 4,
    lineText,
    notes: ["Note"],
  });
});

Deno.test("toDiagnostic() leaves the place out when there is none", () => {
  assert.deepEqual(toDiagnostic({ text: "m", location: null, notes: [] }), {
    message: "m",
    notes: [],
  });
});
