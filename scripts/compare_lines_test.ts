import assert from "node:assert/strict";
import { join } from "node:path";
import { compareLines, countLines } from "./compare_lines.ts";
import { repositoryRoot } from "./workspace.ts";

Deno.test("countLines() counts neither empty lines nor comments", () => {
  assert.equal(countLines("// what it is\nconst a = 1; // one\n\n  // more\nconst b = 2;\n"), 2);
});

Deno.test("the README says in how many lines the quick start and the others do the same", async () => {
  const lines = await compareLines();
  assert.ok(lines["@framework/auth"]! <= 30, `${lines["@framework/auth"]} lines`);
  const readme = await Deno.readTextFile(join(repositoryRoot, "auth", "README.md"));
  const text = readme.replace(/\s+/g, " ");
  const sentence = `${lines["@framework/auth"]} lines here are ${lines["Better Auth"]} with ` +
    `Better Auth and ${lines["Auth.js"]} with Auth.js`;
  assert.ok(text.includes(sentence), sentence);
});
