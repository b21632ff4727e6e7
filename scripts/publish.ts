/**
 * Publishes the npm packages, each after those that it needs: as `latest`, a prerelease as `next`.
 *
 * Usage: `deno run -A scripts/publish.ts --repository URL [--provenance]`
 *
 * It builds them first, unless they are built. What the registry has already is left alone when it is the same
 * tarball, so that a release that stopped half-way is finished by running it again. npm on the PATH publishes, to the
 * registry and with the identity that it is configured for.
 *
 * @module
 */

import { createHash } from "node:crypto";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Build, buildPackages, type PackedPackage } from "./npm.ts";
import { releaseProblems } from "./release_check.ts";
import { capture, run, type RunOptions } from "./run_command.ts";
import { readWorkspace } from "./workspace.ts";

/** Options for publishing. */
export interface PublishOptions extends RunOptions {
  /** Has npm sign which workflow and commit made the tarballs; only on a build service that npm knows. Default: false. */
  provenance?: boolean;
}

/** Name by which users ask for the newest prerelease: `npm install @framework/auth@next`. */
const PRERELEASES = "next";

/** The dist-tag of a version. */
export function tagOf(version: string): string {
  return version.includes("-") ? PRERELEASES : "latest";
}

/** The digest of a tarball, as a registry tells it. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

/** The digest of what the registry has of a version; null when it has nothing. */
async function publishedIntegrity(
  { manifest: { name, version } }: PackedPackage,
  options: RunOptions,
): Promise<string | null> {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--json"];
  const { code, stdout, stderr } = await capture("npm", args, options);
  if (code === 0) return stdout.trim() === "" ? null : JSON.parse(stdout) as string;
  if (`${stdout}${stderr}`.includes("E404")) return null;
  throw new Error(`"npm ${args.join(" ")}" ended with exit code ${code}.\n${stdout}${stderr}`);
}

/**
 * Publishes the packages of a build.
 *
 * @param build The packages, each after those that it needs.
 * @returns What was done, a line for each package.
 * @throws {Error} When the registry has one of the versions with other content; nothing is published then. Also when npm
 * refuses one: those before it are published.
 */
export async function publishPackages(
  { packages }: Pick<Build, "packages">,
  { provenance = false, ...options }: PublishOptions = {},
): Promise<string[]> {
  const published = await Promise.all(
    packages.map((packed) => publishedIntegrity(packed, options)),
  );
  for (const [index, { manifest, tarball }] of packages.entries()) {
    const own = integrityOf(await Deno.readFile(tarball));
    if (published[index] === null || published[index] === own) continue;
    throw new Error(
      `The registry has ${manifest.name} ${manifest.version} with other content, and a version is published once: ` +
        "raise it with `deno task bump`.",
    );
  }
  const said: string[] = [];
  for (const [index, { manifest: { name, version }, tarball }] of packages.entries()) {
    const tag = tagOf(version);
    if (published[index] !== null) {
      said.push(`${name} ${version}: is published already`);
      continue;
    }
    // npm says `latest` by itself, and refuses it where a higher version has it.
    const args = ["publish", tarball, "--access", "public", "--ignore-scripts"];
    if (tag === PRERELEASES) args.push("--tag", tag);
    if (provenance) args.push("--provenance");
    await run("npm", args, options);
    said.push(`${name} ${version}: published as ${tag}`);
  }
  return said;
}

if (import.meta.main) {
  try {
    const { values: { repository, provenance } } = parseArgs({
      options: {
        repository: { type: "string" },
        provenance: { type: "boolean", default: false },
      },
    });
    if (repository === undefined) {
      throw new Error(
        "No --repository is given. npm shows it, and accepts a provenance only where a package names its source.",
      );
    }
    const problems = await releaseProblems(`v${(await readWorkspace()).members[0]!.version}`);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    const build = await buildPackages({ repository });
    process.stdout.write(`${(await publishPackages(build, { provenance })).join("\n")}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
