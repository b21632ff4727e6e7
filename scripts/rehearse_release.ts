/**
 * One release of a rehearsal: the commands of `release.yml`, in a copy of the source, against a local registry.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { changelogSection } from "./changelog.ts";
import { readPackages } from "./npm.ts";
import { capture, type Finished } from "./run_command.ts";
import { servedProblems } from "./served_packages.ts";
import type { Transcript } from "./rehearse_transcript.ts";
import type { LocalRegistry } from "./verdaccio.ts";
import { exists, readWorkspace } from "./workspace.ts";

/** Repository that the workflow would run in. */
const SERVER = "https://github.com";
const REPOSITORY = "framework/framework";

/** Differences from the workflow on a machine without its services, by the words of a command. */
const DIFFERENCES: [now: string | RegExp, next: string, why: string][] = [
  [/^deno publish$/, "deno publish --dry-run", "JSR is not asked"],
  [" --provenance", "", "only a build service can sign"],
  [/^deno task compile$/, "deno task compile --dry-run", "the runtime part is Deno's to download"],
];

/** The commands of a job. */
export function commandsOf(workflow: string, job: string): string[] {
  const text = new RegExp(`^  ${job}:\n([^]*?)(?=^  \\w|(?![^]))`, "m").exec(workflow)![1]!;
  return [...text.matchAll(/^ +(?:- )?run: (?:\|\n((?: {10}.*\n)+)|(.*))/gm)]
    .map(([, block, line]) => block?.replace(/^ {10}/gm, "").trim() ?? line!);
}

/** A program in the place of GitHub's, which notes its arguments, one a line. */
async function standInForGitHub(bin: string, log: string): Promise<void> {
  const text = `#!/bin/sh\nprintf '%s\\n' "$@" > "${log}"\n`;
  await Deno.writeTextFile(join(bin, "gh"), text, { mode: 0o755 });
}

/** Runs a command in a copy of the source, as a step of the workflow runs it. */
export async function runStep(
  root: string,
  line: string,
  env: Record<string, string>,
): Promise<Finished> {
  return await capture("bash", ["-eo", "pipefail", "-c", line], { cwd: root, env });
}

/** Looks at what GitHub would be given for the page of a release: its kind, its text, its files. */
async function checkPage(root: string, tag: string, given: readonly string[]): Promise<void> {
  const version = tag.slice(1);
  const kind = version.includes("-") ? "--prerelease" : "--latest";
  const [compiled, ...bills] = given.slice(7);
  assert.deepEqual(
    given.slice(0, 7),
    ["release", "create", tag, "--verify-tag", kind, "--notes-file", "notes.md"],
  );
  // Without compiled files the pattern stays what it is.
  assert.equal(compiled, "compiled/*");
  const { members } = await readWorkspace(root);
  assert.deepEqual(
    bills.toSorted(),
    members.map(({ folder }) => `npm/sbom/framework-${folder}-${version}.cdx.json`).toSorted(),
  );
  for (const file of bills) assert.ok(await exists(join(root, file)), file);
  const changelog = await Deno.readTextFile(join(root, "CHANGELOG.md"));
  assert.equal(
    (await Deno.readTextFile(join(root, "notes.md"))).trim(),
    changelogSection(changelog, version),
  );
}

/** Source, registry and transcript of a release. */
export interface ReleaseOptions {
  /** Absolute path of the copy of the source. */
  root: string;
  registry: LocalRegistry;
  told: Transcript;
}

/**
 * Plays the workflow of a tag, and looks at what the registry serves then.
 *
 * @throws {Error} When a command fails, or something that is served is wrong.
 */
export async function playRelease(
  tag: string,
  { root, registry, told }: ReleaseOptions,
): Promise<void> {
  const workflow = await Deno.readTextFile(join(root, ".github", "workflows", "release.yml"));
  const log = join(registry.bin, "gh.log");
  await standInForGitHub(registry.bin, log);
  const env = {
    ...registry.env,
    GITHUB_REF_NAME: tag,
    GITHUB_SERVER_URL: SERVER,
    GITHUB_REPOSITORY: REPOSITORY,
  };
  const done = new Set<string>();
  for (const job of ["test", "jsr", "npm", "assets"]) {
    told.note(`Job ${job}`);
    for (const written of commandsOf(workflow, job)) {
      if (done.has(written)) continue;
      done.add(written);
      if (written.includes("deno task test")) {
        told.note(`Not here: ${written}`);
        continue;
      }
      let line = written;
      for (const [now, next, why] of DIFFERENCES) {
        const changed = line.replace(now, next);
        if (changed !== line) told.note(`In place of \`${written}\`: ${why}.`);
        line = changed;
      }
      const { code, stdout, stderr } = await runStep(root, line, env);
      if (code !== 0) {
        throw new Error(`"${line}" ended with exit code ${code}.\n${stdout}${stderr}`);
      }
      const said = /publish\.ts|task sbom/.test(line) ? stdout.trim().split("\n") : [];
      told.command(line, said);
    }
  }
  assert.ok(done.size >= 8, "the commands of the workflow are found");

  const version = tag.slice(1);
  const packages = await readPackages(await readWorkspace(root));
  for (const packed of packages) {
    const file = packed.tarball.replace("/tarballs/", "/sbom/").replace(/\.tgz$/, ".cdx.json");
    const problems = await servedProblems(packed, {
      registry: registry.url,
      repository: `${SERVER}/${REPOSITORY}`,
      bill: JSON.parse(await Deno.readTextFile(file)),
    });
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }
  told.note(
    "The registry serves each package with the fields, entries, licence, notices and source maps that were built, and " +
      "no source; its tarball has the digests that the registry and the bill of materials name.",
  );
  await checkPage(root, tag, (await Deno.readTextFile(log)).trim().split("\n"));
  told.note(
    `The page of ${tag} is ${
      version.includes("-") ? "a prerelease" : "the newest release"
    }, with the ` +
      "changelog's section and a bill of materials of each package.",
  );
}
