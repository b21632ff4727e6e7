import assert from "node:assert/strict";
import { releaseProblems } from "./release_check.ts";
import { readWorkspace } from "./workspace.ts";

const { members } = await readWorkspace();

Deno.test("releaseProblems() names each package whose version is not the tag", async () => {
  const problems = await releaseProblems("v999.0.0");
  assert.equal(problems.length, members.length + 1);
  for (const { name } of members) assert.ok(problems.some((problem) => problem.includes(name)));
});

Deno.test("releaseProblems() finds nothing but the changelog to complain of for the present version", async () => {
  const problems = await releaseProblems(`v${members[0]!.version}`);
  assert.deepEqual(problems.filter((problem) => !problem.startsWith("CHANGELOG.md")), []);
});
