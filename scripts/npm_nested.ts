/**
 * Puts packages into the `node_modules` folder of an npm package (`bundleDependencies`), for those that exist in one
 * project in several versions: package managers leave what lies there where it is, so that it neither takes the place
 * of the project's own version nor gives way to it.
 *
 * @module
 */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { listFiles, readJson } from "./workspace.ts";

/** Packages that another one brings along. */
export interface NestedPackages {
  /** Names, for `bundleDependencies`. */
  names: string[];
  /** Ranges of these packages and of what they depend on themselves, for `dependencies`. */
  dependencies: Record<string, string>;
}

/** Files that a package needs at run time and for its types, with its manifest and its license. */
const NEEDED = /\.(js|d\.ts)$|^package\.json$|^licen[cs]e/i;

/**
 * Copies installed packages into an unpacked package.
 *
 * @param folder Absolute path of the unpacked package.
 * @param names What to copy. A package stands after one that depends on it, or is installed at the root.
 * @param root Absolute path of a folder whose `node_modules` has them.
 * @throws {Error} When one is not installed, has no license, or scripts that run when it is installed.
 */
export async function nestPackages(
  folder: string,
  names: readonly string[],
  root: string,
): Promise<NestedPackages> {
  const places = [join(root, "package.json")];
  const dependencies: Record<string, string> = {};
  for (const name of names) {
    const manifestFile = findManifest(name, places);
    const manifest = await readJson(manifestFile) as {
      version: string;
      dependencies?: Record<string, string>;
      scripts?: Record<string, string>;
    };
    const installed = Object.keys(manifest.scripts ?? {}).find((script) => /install/.test(script));
    if (installed !== undefined) throw new Error(`${name} has a script "${installed}".`);
    for (const [needed, range] of Object.entries(manifest.dependencies ?? {})) {
      if (!names.includes(needed)) dependencies[needed] = range;
    }
    dependencies[name] = manifest.version;
    places.push(manifestFile);

    const outside = (path: string) => !path.endsWith("node_modules");
    const files = (await listFiles(dirname(manifestFile), outside))
      .filter((file) => NEEDED.test(file));
    if (!files.some((file) => /^licen[cs]e/i.test(file))) {
      throw new Error(`${name} has no license, so that no package may contain it.`);
    }
    for (const file of files) {
      const copy = join(folder, "node_modules", name, file);
      await Deno.mkdir(dirname(copy), { recursive: true });
      await Deno.copyFile(join(dirname(manifestFile), file), copy);
    }
  }
  return { names: [...names], dependencies };
}

/** The manifest of an installed package, as one of the places finds it. */
function findManifest(name: string, places: readonly string[]): string {
  for (const place of places) {
    try {
      return createRequire(place).resolve(`${name}/package.json`);
    } catch {
      // Installed for another place.
    }
  }
  throw new Error(
    `${name} is not installed, and cannot be put into a package. Run \`deno install\`.`,
  );
}
