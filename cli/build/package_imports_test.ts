import assert from "node:assert/strict";
import { readImports } from "./package_imports.ts";

function read(code: string): [string, string[] | null][] {
  return [...readImports(code, /^\.\/package-/)];
}

Deno.test("readImports() reads every form of import, in the order of the code", () => {
  const code = `import { a, b as c } from "./package-1.js";
import d from "./package-0.js";
import e, { f } from "./package-2.js";
import "./package-3.js";
import {
  a as g,
  h
} from "./package-1.js";
export { i, j as k } from "./package-4.js";
import { local } from "./other.js";
`;
  assert.deepEqual(read(code), [
    ["./package-1.js", ["a", "b", "h"]],
    ["./package-0.js", ["default"]],
    ["./package-2.js", ["default", "f"]],
    ["./package-3.js", []],
    ["./package-4.js", ["i", "j"]],
  ]);
});

Deno.test.each([
  ['import * as all from "./package-0.js";'],
  ['export * from "./package-0.js";'],
  ['import a, * as all from "./package-0.js";'],
])("readImports() says of %o that it takes everything", (code) => {
  assert.deepEqual(read(code), [["./package-0.js", null]]);
});

Deno.test("readImports() finds no import inside of a line", () => {
  assert.deepEqual(read('const text = `x import { a } from "./package-0.js";`;'), []);
});
