import assert from "node:assert/strict";
import { type Json, parseJson, toJson } from "./columns.ts";

Deno.test("toJson() and parseJson() keep a value, and refuse what JSON has no text for", () => {
  const value = { labels: ["a", 'quo"te'], none: null };
  assert.deepEqual(parseJson(toJson(value)), value);
  for (const wrong of [undefined, () => 1, Symbol("x")]) {
    assert.throws(() => toJson(wrong), /^TypeError: toJson\(\) was given \w+, for which JSON/);
  }
  assert.throws(() => parseJson("{" as Json<object>), SyntaxError);
});
