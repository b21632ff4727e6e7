/**
 * Lays the packages of a build into the demo's folder, so that npm and Deno go on from there: neither
 * finds them in a registry, and both would refuse to add another package.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { extract } from "tar";
import type { Build, PackedPackage } from "./npm.ts";
import { readJson } from "./workspace.ts";

/** Folder in the application, ignored by git, in which the packages lie. */
const PACKAGES = ".framework/packages";

interface Lock {
  packages: Record<string, Record<string, unknown>>;
  [field: string]: unknown;
}

/**
 * Lays the packages of a build into an application, whose `package.json` stays as `framework init`
 * writes it. Deno takes them by `links` of `deno.json`, npm by `package-lock.json`; what else these
 * files hold stays.
 *
 * @param folder Absolute path of the application, with its packages installed.
 * @param build The packages.
 */
export async function layPackages(folder: string, build: Build): Promise<void> {
  const target = join(folder, PACKAGES);
  await Deno.remove(target, { recursive: true }).catch(ignoreMissing);
  for (const { folder: name, tarball } of build.packages) {
    const unpacked = join(target, name);
    await Deno.mkdir(unpacked, { recursive: true });
    await extract({ file: tarball, cwd: unpacked, strip: 1 });
    await Deno.copyFile(tarball, join(target, basename(tarball)));
  }
  await linkPackages(folder, build);
  await lockPackages(folder, build);
}

async function linkPackages(folder: string, build: Build): Promise<void> {
  const file = join(folder, "deno.json");
  const links = build.packages.map((each) => `./${PACKAGES}/${each.folder}`);
  await writeJson(file, { ...await readJson(file), links });
}

async function lockPackages(folder: string, build: Build): Promise<void> {
  const file = join(folder, "package-lock.json");
  const before = await readJson(file).catch(() => null) as Lock | null;
  const lock = before ?? await emptyLock(folder);
  for (const each of build.packages) {
    lock.packages[`node_modules/${each.manifest.name}`] = await lockEntry(each);
  }
  await writeJson(file, lock);
}

async function emptyLock(folder: string): Promise<Lock> {
  const { name, version, dependencies, devDependencies } = await readJson(
    join(folder, "package.json"),
  );
  const root = { name, version, dependencies, devDependencies };
  return { name, version, lockfileVersion: 3, requires: true, packages: { "": root } };
}

async function lockEntry({ manifest, tarball }: PackedPackage): Promise<Record<string, unknown>> {
  const { version, license, engines, bin } = manifest;
  const { dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const digest = createHash("sha512").update(await Deno.readFile(tarball)).digest("base64");
  return {
    version,
    resolved: `file:${PACKAGES}/${basename(tarball)}`,
    integrity: `sha512-${digest}`,
    license,
    dependencies,
    bin,
    engines,
    peerDependencies,
    peerDependenciesMeta,
  };
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
