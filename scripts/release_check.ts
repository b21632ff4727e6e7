/**
 * Says whether a tag may be released: it is the version of all packages, and the changelog has a
 * section for it.
 *
 * Usage: `deno run --allow-read scripts/release_check.ts v1.2.3`
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { readWorkspace, repositoryRoot } from "./workspace.ts";

/** Problems that forbid the release of a tag, one line each. */
export async function releaseProblems(tag: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, version } of (await readWorkspace()).members) {
    if (tag !== `v${version}`) problems.push(`The tag is ${tag}, and ${name} has ${version}.`);
  }
  const heading = `## ${tag.replace(/^v/, "")} (`;
  const changelog = await Deno.readTextFile(join(repositoryRoot, "CHANGELOG.md"));
  if (!changelog.split("\n").some((line) => line.startsWith(heading))) {
    problems.push(`CHANGELOG.md has no section "${heading}…)".`);
  }
  return problems;
}

if (import.meta.main) {
  const problems = await releaseProblems(Deno.args[0] ?? "");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  Deno.exit(problems.length === 0 ? 0 : 1);
}
