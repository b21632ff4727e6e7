/**
 * Prints what `CHANGELOG.md` says of a release, for the page of the release.
 *
 * Usage: `deno run --allow-read scripts/changelog.ts v1.2.3`
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { repositoryRoot } from "./workspace.ts";

/**
 * The text of a release's section, without its heading.
 *
 * @param changelog Text of the changelog.
 * @param version Version without a `v`: `1.2.3`.
 * @returns Null where there is no section of that version.
 */
export function changelogSection(changelog: string, version: string): string | null {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${version} (`));
  return section === undefined ? null : section.split("\n").slice(1).join("\n").trim();
}

if (import.meta.main) {
  const version = (Deno.args[0] ?? "").replace(/^v/, "");
  const changelog = await Deno.readTextFile(join(repositoryRoot, "CHANGELOG.md"));
  const text = changelogSection(changelog, version);
  if (text === null) {
    process.stderr.write(`CHANGELOG.md has no section "## ${version} (…)".\n`);
    Deno.exit(1);
  }
  process.stdout.write(`${text}\n`);
}
