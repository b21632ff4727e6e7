import assert from "node:assert/strict";
import { releaseProblems } from "./release_check.ts";
import { readWorkspace } from "./workspace.ts";

const { members } = await readWorkspace();

Deno.test("releaseProblems() names each package whose version is not the tag", async () => {
  const problems = await releaseProblems("v999.0.0");
  for (const { name } of members) assert.ok(problems.some((problem) => problem.includes(name)));
});

Deno.test("releaseProblems() complains of nothing for the present version but what a release brings: its section and the end of the notices", async () => {
  const problems = await releaseProblems(`v${members[0]!.version}`);
  const others = /^CHANGELOG\.md|README\.md says that it is not published yet/;
  assert.deepEqual(problems.filter((problem) => !others.test(problem)), []);
});
