/**
 * Chooses the folder of the demo application, and remembers what is installed in it.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { exists, readJson } from "./workspace.ts";

/** The demo's folder and what is in it. */
export interface DemoFolder {
  path: string;
  /**
   * `"missing"`: nothing there, or an empty folder. `"outdated"`: a demo with the packages of another
   * state of the source. `"ready"`: a demo with the current packages.
   */
  state: "missing" | "outdated" | "ready";
}

/**
 * Finds the folder of the demo.
 *
 * @param hash Source hash of the packages. It is part of the default folder's name.
 * @param options.dir A folder of the user's own choice. Default: one in the temporary folder.
 * @param options.fresh Empties the folder first, when it holds a demo.
 * @throws {Error} when the folder holds something else, or belongs to somebody else.
 */
export async function findDemoFolder(
  hash: string,
  options: { dir?: string | undefined; fresh?: boolean | undefined },
): Promise<DemoFolder> {
  const path = options.dir === undefined
    ? join(tmpdir(), `framework-demo-${hash.slice(0, 12)}`)
    : resolve(options.dir);
  const info = await Deno.lstat(path).catch(() => null);
  if (!info) return { path, state: "missing" };
  if (!info.isDirectory) throw new Error(`${path} is not a folder. Choose another with --dir.`);
  // The name in the temporary folder can be guessed: what another user put there is not run.
  if (info.uid !== null && info.uid !== Deno.uid()) {
    throw new Error(`${path} belongs to another user. Choose a folder of your own with --dir.`);
  }
  const mark = await readMark(path);
  if (mark === null) {
    if (await isEmpty(path)) return { path, state: "missing" };
    if (options.dir !== undefined) {
      throw new Error(`${path} holds files that are not of a demo. Choose an empty folder.`);
    }
  }
  if (mark === null || options.fresh) {
    await Deno.remove(path, { recursive: true });
    return { path, state: "missing" };
  }
  return { path, state: mark === hash ? "ready" : "outdated" };
}

/** Notes in the folder from which state of the source its packages are. */
export async function markDemoFolder(path: string, hash: string): Promise<void> {
  await Deno.writeTextFile(markPath(path), JSON.stringify({ hash }));
}

/**
 * Removes the installed packages of a demo: the same version with other content would be taken for
 * installed. Until it is marked again, the folder is a demo with outdated packages.
 */
export async function forgetPackages(path: string): Promise<void> {
  await Deno.remove(join(path, "node_modules"), { recursive: true }).catch(() => {});
  await Deno.mkdir(join(path, "node_modules"), { recursive: true });
  await markDemoFolder(path, "none");
}

async function readMark(path: string): Promise<string | null> {
  if (!await exists(markPath(path))) return null;
  return (await readJson(markPath(path))).hash as string;
}

// Where git and the build of the application do not look, and gone when the packages are.
function markPath(path: string): string {
  return join(path, "node_modules", ".framework-demo.json");
}

async function isEmpty(path: string): Promise<boolean> {
  for await (const _entry of Deno.readDir(path)) return false;
  return true;
}
