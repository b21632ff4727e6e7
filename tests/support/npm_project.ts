import { hash } from "node:crypto";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { extract } from "tar";
import { type Build, buildPackages, type PackedPackage } from "../../scripts/npm.ts";
import type { Manifest } from "../../scripts/npm_manifest.ts";
import { capture, type Finished } from "../../scripts/run_command.ts";
import { initApplication } from "../../scripts/scaffold.ts";
import { exists, readJson } from "../../scripts/workspace.ts";
import { findNodes } from "./node.ts";
import { captureNpm, linkFolder, linkNpmPackages } from "./npm_packages.ts";

/** Development dependencies that differ from the starter's; null takes one away. */
export type Versions = Record<string, string | null>;

/** The starter application, as npm installs it. */
export interface NpmProject {
  /** Absolute path of its folder. */
  root: string;
  /** Installs these versions, in place of others. */
  install(versions: Versions): Promise<void>;
  /** Runs the vitest that is installed in it, on the newest Node. */
  vitest(...args: string[]): Promise<Finished>;
  remove(): Promise<void>;
}

/**
 * Scaffolds the starter, and lays files over it. Nothing is installed yet.
 *
 * @param files Folders whose content is copied into it.
 */
export async function createNpmProject(files: readonly string[]): Promise<NpmProject> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.makeTempDir({ prefix: "framework-npm-" });
  const root = join(folder, "my-app");
  await initApplication(root);
  for (const source of files) await cp(source, root, { recursive: true });
  const starter = await Deno.readTextFile(join(root, "package.json"));
  const { newest } = await findNodes();
  return {
    root,
    async install(versions) {
      const manifest = withVersions(starter, versions);
      await Deno.writeTextFile(join(root, "package.json"), JSON.stringify(manifest));
      await installWithNpm(root, build);
    },
    vitest: (...args) =>
      capture(newest, [join("node_modules", "vitest", "vitest.mjs"), "run", ...args], {
        cwd: root,
      }),
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}

function withVersions(text: string, versions: Versions): unknown {
  const manifest = JSON.parse(text);
  const wanted = Object.entries({ ...manifest.devDependencies, ...versions });
  manifest.devDependencies = Object.fromEntries(wanted.filter(([, version]) => version !== null));
  return manifest;
}

/**
 * Installs a project: what others wrote as npm lays it out, the packages of the build as they are packed. npm then
 * judges the whole: that the packages lack nothing, and accept what they find beside them.
 *
 * @param root Folder with the project's `package.json`. What was installed there before is removed.
 * @throws {Error} with what npm says of the packages.
 */
export async function installWithNpm(root: string, build: Build): Promise<void> {
  const { packages } = build;
  const { dependencies, devDependencies } = await readJson(join(root, "package.json")) as Wanted;
  const wanted = { ...dependencies, ...devDependencies };
  const ours = neededOf(packages, Object.keys(wanted));
  const others: Record<string, string> = Object.assign(
    {},
    ...ours.map(({ manifest }) => neededByNpm(manifest)),
    wanted,
  );
  for (const { manifest } of packages) delete others[manifest.name];
  const modules = join(root, "node_modules");
  await Deno.remove(modules, { recursive: true }).catch(() => {});
  const linked = await linkNpmPackages(others);
  await linkFolder(linked, modules);
  // npm's note of what is installed, which is more now.
  await Deno.remove(join(modules, ".package-lock.json")).catch(() => {});
  for (const { manifest, tarball } of ours) {
    const folder = join(modules, manifest.name);
    await Deno.mkdir(folder, { recursive: true });
    await extract({ file: tarball, cwd: folder, strip: 1 });
  }
  // Several files install the same, of which npm thinks the same.
  const asked = hash("sha256", JSON.stringify([build.hash, wanted]));
  const judged = join(linked, "..", `judged-${asked}`);
  if (await exists(judged)) return;
  const { stdout, stderr } = await captureNpm(["ls", "--all"], { cwd: root });
  // What packages of others say of each other is theirs. A prerelease, such as a Miniflare that a plugin brings, is in no
  // range that does not name it.
  const faults = `${stdout}\n${stderr}`.split("\n")
    .filter((line) => /\b(?:missing|invalid): .*@framework\//.test(line))
    .filter((line) => !/@[\d.]+-\S+ (?:deduped )?invalid: /.test(line));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  await Deno.writeTextFile(judged, "");
}

interface Wanted {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Those of the packages that have one of these names, and what they need of each other. */
function neededOf(packages: readonly PackedPackage[], names: string[]): PackedPackage[] {
  const needed = new Set(names);
  // Each package comes after those that it needs.
  for (const { manifest } of packages.toReversed()) {
    if (!needed.has(manifest.name)) continue;
    for (const name of Object.keys(manifest.dependencies ?? {})) needed.add(name);
  }
  return packages.filter(({ manifest }) => needed.has(manifest.name));
}

/** Packages that npm installs beside a package, which does not bring them along. */
function neededByNpm({ dependencies = {}, bundleDependencies = [] }: Manifest) {
  return Object.fromEntries(
    Object.entries(dependencies).filter(([name]) => !bundleDependencies.includes(name)),
  );
}
