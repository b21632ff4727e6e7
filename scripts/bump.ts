/**
 * Raises the version of all packages: by `deno bump-version` in each `deno.json`, and then wherever
 * else the number stands, for files that travel without their `deno.json` and for documents. Names the
 * changelog's section of what is not released yet after it, and takes the paragraph out of the READMEs that
 * says that nothing is published yet.
 *
 * Usage: `deno task bump major|minor|patch|…` (what `deno bump-version` takes), or `deno task bump release`, which makes
 * the version of a prerelease, for which Deno has no word: `0.2.0` of `0.2.0-1`, with one section in the changelog.
 *
 * @module
 */

import { basename, join } from "node:path";
import process from "node:process";
import { run } from "./run_command.ts";
import { listFiles, readWorkspace, repositoryRoot } from "./workspace.ts";

const notSource = new Set(["node_modules", ".git", "compiled", "npm", "output", "site"]);
const mention =
  /(@framework\/(?:auth|cli|testing)(?:@|": ")[\^~]?|VERSION = ")(\d+\.\d+\.\d+[\w.-]*)/g;

/** The paragraph of a README that says, until the first release, that its package is in no registry. */
export const UNPUBLISHED: RegExp =
  /^(?!\n)(?:(?!\n\n)[^])*\bnot published to a\s+registry\s+yet\b(?:(?!\n\n)[^])*\n\n/gm;

/** The source files and documents that name a version of the packages, without the `deno.json`s. */
export async function filesWithVersion(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of await listFiles(root, (path) => !notSource.has(basename(path)))) {
    if (!/\.(tsx?|json|md)$/.test(file) || /_test\.tsx?$/.test(file)) continue;
    if ((await Deno.readTextFile(join(root, file))).search(mention) >= 0) found.push(file);
  }
  return found;
}

/**
 * Raises the version.
 *
 * @param increment What `deno bump-version` takes, such as `minor`; or `release`.
 * @param options.root Absolute path of the repository. Default: the one that holds this file.
 * @param options.today The day of the release, as the changelog has it: `2026-01-31`.
 * @returns The version before and the new one.
 * @throws {Error} when Deno refuses the increment, or `release` finds no prerelease.
 */
export async function bumpVersion(
  increment: string,
  { root = repositoryRoot, today }: { root?: string; today: string },
): Promise<{ from: string; to: string }> {
  const from = await sharedVersion(root);
  if (increment === "release") await finishPrerelease(root, from);
  else await run(Deno.execPath(), ["bump-version", "--workspace", increment], { cwd: root });
  const to = await sharedVersion(root);
  for (const file of await filesWithVersion(root)) {
    const text = await Deno.readTextFile(join(root, file));
    await Deno.writeTextFile(join(root, file), text.replace(mention, `$1${to}`));
  }
  for (const { folder } of [{ folder: "." }, ...(await readWorkspace(root)).members]) {
    const readme = join(root, folder, "README.md");
    const text = await Deno.readTextFile(readme);
    await Deno.writeTextFile(readme, text.replace(UNPUBLISHED, ""));
  }
  const changelog = join(root, "CHANGELOG.md");
  const text = await Deno.readTextFile(changelog);
  if (!text.includes("## Unreleased\n")) throw new Error(`${changelog} has no "## Unreleased".`);
  // What its prereleases brought, a release brings.
  const prereleases = new RegExp(`^## ${to.replaceAll(".", "\\.")}-.*\n\n?`, "gm");
  await Deno.writeTextFile(
    changelog,
    text.replace(prereleases, "")
      .replace("## Unreleased\n", `## Unreleased\n\n## ${to} (${today})\n`),
  );
  return { from, to };
}

/** Writes the version of a prerelease without what makes it one. */
async function finishPrerelease(root: string, from: string): Promise<void> {
  const [to] = from.split("-");
  if (to === from) throw new Error(`${from} is no prerelease: \`deno task bump minor\` raises it.`);
  for (const { folder } of (await readWorkspace(root)).members) {
    const file = join(root, folder, "deno.json");
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, text.replace(`"version": "${from}"`, `"version": "${to}"`));
  }
}

async function sharedVersion(root: string): Promise<string> {
  const versions = new Set((await readWorkspace(root)).members.map(({ version }) => version));
  if (versions.size !== 1) {
    throw new Error(`The packages have different versions: ${[...versions].join(", ")}.`);
  }
  return [...versions][0]!;
}

if (import.meta.main) {
  const today = new Date().toISOString().slice(0, 10);
  try {
    const { from, to } = await bumpVersion(Deno.args.join(" "), { today });
    process.stdout.write(`${from} → ${to}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
