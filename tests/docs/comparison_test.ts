import assert from "node:assert/strict";
import { readTable } from "./tables.ts";

const shown = await readTable("README.md", "Clerk");
const sourced = await readTable("docs/comparison.md", "Clerk");

Deno.test("each cell of the comparison has a source: a file of the package, another package, or a page of ours", () => {
  assert.ok(Object.keys(sourced).length > 8);
  for (const [row, cells] of Object.entries(sourced)) {
    assert.deepEqual(Object.keys(cells), ["this library", "Better Auth", "Auth.js", "Clerk"]);
    for (const [column, cell] of Object.entries(cells)) {
      if (cell === "–") continue;
      const isSourced = /: (?:\[[^\]]+\]\([^)]+\)|`[\w./-]+`)|, `@[\w/-]+`$/.test(cell);
      assert.ok(isSourced, `${row}, ${column}: ${cell}`);
    }
  }
});

Deno.test("the first page compares in the words of the comparison that has the sources", () => {
  assert.ok(Object.keys(shown).length > 7);
  for (const [row, cells] of Object.entries(shown)) {
    const there = sourced[row];
    assert.ok(there !== undefined, row);
    for (const [column, cell] of Object.entries(cells)) {
      assert.equal(cell === "–", there[column] === "–", `${row}, ${column}`);
    }
  }
});
