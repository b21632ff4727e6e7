/**
 * Says whether a tag may be released: it is the version of all packages, the changelog says what it brings, and no
 * README sends its readers somewhere else than to the registries.
 *
 * Usage: `deno run --allow-read scripts/release_check.ts v1.2.3`
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { UNPUBLISHED } from "./bump.ts";
import { changelogSection } from "./changelog.ts";
import { readWorkspace, repositoryRoot } from "./workspace.ts";

/**
 * Problems that forbid the release of a tag, one line each.
 *
 * @param tag Version with a `v` before it.
 * @param root Absolute path of the repository. Default: the one that holds this file.
 */
export async function releaseProblems(tag: string, root = repositoryRoot): Promise<string[]> {
  const problems: string[] = [];
  const { members } = await readWorkspace(root);
  for (const { name, version } of members) {
    if (tag !== `v${version}`) problems.push(`The tag is ${tag}, and ${name} has ${version}.`);
  }
  const version = tag.replace(/^v/, "");
  const section = changelogSection(await Deno.readTextFile(join(root, "CHANGELOG.md")), version);
  if (section === null) problems.push(`CHANGELOG.md has no section "## ${version} (…)".`);
  if (section === "") problems.push(`CHANGELOG.md says nothing of ${version}.`);
  for (const file of ["README.md", ...members.map(({ folder }) => `${folder}/README.md`)]) {
    if ((await Deno.readTextFile(join(root, file))).search(UNPUBLISHED) < 0) continue;
    problems.push(`${file} says that it is not published yet: remove that paragraph.`);
  }
  return problems;
}

if (import.meta.main) {
  const problems = await releaseProblems(Deno.args[0] ?? "");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  Deno.exit(problems.length === 0 ? 0 : 1);
}
