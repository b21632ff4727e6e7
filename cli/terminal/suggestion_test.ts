import assert from "node:assert/strict";
import { didYouMean, suggest } from "./suggestion.ts";

const commands = ["init", "dev", "build", "migrate"];

Deno.test.each([
  ["biuld", "build"],
  ["dve", "dev"],
  ["Migrate", "migrate"],
  ["migrat", "migrate"],
  ["mi", "migrate"],
  ["iniit", "init"],
])("suggest(%o) finds %o", (typed, expected) => {
  assert.equal(suggest(typed, commands), expected);
});

Deno.test.each([["deploy"], [""], ["x"], ["buld the thing"]])(
  "suggest(%o) finds nothing",
  (typed) => {
    assert.equal(suggest(typed, commands), undefined);
  },
);

Deno.test("suggest() prefers silence to a guess between equals", () => {
  assert.equal(suggest("bat", ["cat", "hat"]), undefined);
  assert.equal(suggest("ca", ["cart", "cats"]), undefined);
});

Deno.test("didYouMean() is a sentence or nothing", () => {
  assert.equal(didYouMean("dve", commands), ' Did you mean "dev"?');
  assert.equal(didYouMean("zzz", commands), "");
});

Deno.test("suggest() does not compare words of any length", () => {
  const word = "a".repeat(65);
  assert.equal(suggest(word, [word]), undefined);
});
