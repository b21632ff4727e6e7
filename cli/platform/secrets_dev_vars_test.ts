import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { setDevVar } from "./secrets.ts";

Deno.test.each([
  ["", "A=new\n"],
  ["B=1\n", "B=1\nA=new\n"],
  ["B=1", "B=1\nA=new\n"],
  ["# A=old\r\nA=old\r\nB='A=x'\r\n", "# A=old\r\nA=new\r\nB='A=x'\r\n"],
  ["B=1\r\n", "B=1\r\nA=new\r\n"],
  ["export A = 'old'\nAA=2\n", "A=new\nAA=2\n"],
  ["A=\n", "A=new\n"],
])("setDevVar() changes one line of %o", (text, expected) => {
  assert.equal(setDevVar(text, "A", "new"), expected);
});

Deno.test.each([
  ['A="first\nsecond"\nB=1\n'],
  ["A=1\nA=2\n"],
  ['B="x\nA=1\n"\n'],
])("setDevVar() refuses %o, where one line is not the variable", (text) => {
  assert.throws(() => setDevVar(text, "A", "new"), CliError);
});
