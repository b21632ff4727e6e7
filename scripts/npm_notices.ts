/**
 * Writes down whose code a package contains besides its own: licenses ask for their text beside every copy, and
 * users want to know what a report about another package means for this one.
 *
 * @module
 */

import { join } from "node:path";
import { readJson } from "./workspace.ts";

/** The file of an unpacked package that names what it contains of other packages. */
export const NOTICES_FILE = "THIRD_PARTY.md";

const LICENSE_FILE = /^licen[cs]e(\.(md|txt))?$/i;

/** Folder of the package that an installed module is a part of; null for one that is not installed. */
function packageFolder(module: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module.replaceAll("\\", "/"))?.[0] ??
    null;
}

async function readLicense(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (LICENSE_FILE.test(name)) return (await Deno.readTextFile(join(folder, name))).trim();
  }
  throw new Error(`${folder} has no license, so that no package may contain it.`);
}

async function describe(folder: string): Promise<string> {
  const { name, version, license } = await readJson(join(folder, "package.json"));
  // As a quotation, in which nothing is a heading of this file.
  const quoted = (await readLicense(folder)).split("\n").map((line) => `> ${line}`.trimEnd());
  return `## ${name} ${version}\n\n${license}\n\n${quoted.join("\n")}\n`;
}

/**
 * Writes the licenses of the installed packages that some modules are a part of. Where there are none, nothing
 * is written.
 *
 * @param folder Absolute path of the unpacked package.
 * @param modules Absolute paths of what it contains, its own modules among them.
 * @throws {Error} When a package has no license.
 */
export async function writeNotices(folder: string, modules: readonly string[]): Promise<void> {
  const folders = new Set(modules.map(packageFolder).filter((found) => found !== null));
  if (folders.size === 0) return;
  const notices = await Promise.all([...folders].map(describe));
  const intro = "# Code of other packages\n\nThe bundles for Node, Deno and Bun contain these:\n";
  await Deno.writeTextFile(join(folder, NOTICES_FILE), [intro, ...notices.sort()].join("\n"));
}
