import assert from "node:assert/strict";
import { JsoncError, parseJsonc } from "./jsonc.ts";

Deno.test.each([
  ["null"],
  ["true"],
  ["-0.5e+3"],
  ['"\\u00e4\\n\\\\ // no comment /* neither */"'],
  ["[]"],
  ["{}"],
  ['[1, [2, {"a": [3]}], "x"]'],
  ['{"a": {"b": null}, "": false, "a b": 1}'],
])("parseJsonc(%o) agrees with JSON.parse", (text) => {
  assert.deepEqual(parseJsonc(text).value, JSON.parse(text));
});

Deno.test("parseJsonc() accepts comments, trailing commas, CRLF and a byte order mark", () => {
  const text =
    '\ufeff// first\r\n{ /* a */ "a" /* b */ : [1, /* c */ 2,], // d\r\n "b": {},\r\n}\r\n// end';
  assert.deepEqual(parseJsonc(text).value, { a: [1, 2], b: {} });
});

Deno.test("parseJsonc() knows on which line each value stands", () => {
  const document = parseJsonc(
    '{\n  "a": 1,\n  /* two\n     lines */\n  "b": [\n    {\n      "c": true\n}]}',
  );
  assert.equal(document.lineOf("a"), 2);
  assert.equal(document.lineOf("b"), 5);
  assert.equal(document.lineOf("b[0]"), 6);
  assert.equal(document.lineOf("b[0].c"), 7);
  assert.equal(document.lineOf("nothing"), 1);
});

Deno.test.each([
  ["", 1, 1, "Expected a value, found the end of the file"],
  ["{\n  a: 1}", 2, 3, 'Expected a key in double quotes or "}", found "a"'],
  ["{\n  'a': 1}", 2, 3, 'Expected a key in double quotes or "}", found "\'"'],
  ['{"a" 1}', 1, 6, 'Expected ":", found "1"'],
  ['{"a": 1\n "b": 2}', 2, 2, 'Expected "," or "}", found "\\""'],
  ["[1 2]", 1, 4, 'Expected "," or "]", found "2"'],
  ["[,]", 1, 2, 'Expected a value, found ","'],
  ["{,}", 1, 2, 'Expected a key in double quotes or "}", found ","'],
  ["[01]", 1, 2, 'Expected a value, found "01"'],
  ["[1.]", 1, 2, 'Expected a value, found "1"'],
  ["[+1]", 1, 2, 'Expected a value, found "+"'],
  ["NaN", 1, 1, 'Expected a value, found "NaN"'],
  ["undefined", 1, 1, 'Expected a value, found "undefined"'],
  ["[1] x", 1, 5, 'Expected the end of the file, found "x"'],
  ['["a\nb"]', 1, 2, "This string is not closed"],
  ['["a', 1, 2, "This string is not closed"],
  ['["\\x"]', 1, 2, "This string contains an escape or character that JSON does not allow"],
  ['["\t"]', 1, 2, "This string contains an escape or character that JSON does not allow"],
  ["[1, /* x", 1, 5, "This comment is not closed (expected */)"],
])("parseJsonc(%o) fails at %d:%d", (text, line, column, message) => {
  assert.throws(() => parseJsonc(text), { name: "JsoncError", message, line, column });
});

// Tracks: F45
Deno.test("parseJsonc() refuses nesting that would exhaust the stack", () => {
  assert.throws(() => parseJsonc("[".repeat(1_000_000)), JsoncError);
  assert.throws(() => parseJsonc('{"a":'.repeat(1_000_000)), JsoncError);
});

Deno.test("parseJsonc() keeps __proto__ an ordinary key", () => {
  const value = parseJsonc('{"__proto__": {"polluted": true}}').value;
  assert.deepEqual(Object.keys(value as object), ["__proto__"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.equal((value as { polluted?: boolean }).polluted, undefined);
});
