/**
 * Facts about the repository for the build programs: its location, its members, its shared imports.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One member of the workspace, as its `deno.json` tells it. */
export interface Member {
  /** Folder name; also the name of its folder under `npm/`. */
  folder: string;
  /** Absolute path of the folder. */
  path: string;
  name: string;
  version: string;
  license: string;
  /** Public entries: `"./storage"` → `"./storage.ts"`. */
  exports: Record<string, string>;
}

/** The repository: its root folder, its members in the root's order, its shared import map. */
export interface Workspace {
  root: string;
  members: Member[];
  /** Import map of the root: `"hono"` → `"npm:hono@^4.13.19"`. */
  imports: Record<string, string>;
}

/** Absolute path of the repository that holds this file. */
export const repositoryRoot: string = fileURLToPath(new URL("..", import.meta.url))
  .replace(/[\\/]$/, "");

/**
 * Reads the root `deno.json` and those of the members.
 *
 * @param root Absolute path of a repository laid out like this one.
 * @throws {Error} when a member lacks its name, version, license or exports.
 */
export async function readWorkspace(root: string = repositoryRoot): Promise<Workspace> {
  const config = await readJson(join(root, "deno.json"));
  const members: Member[] = [];
  for (const entry of config.workspace as string[]) {
    members.push(await readMember(root, entry.replace(/^\.\//, "").replace(/\/$/, "")));
  }
  return { root, members, imports: (config.imports ?? {}) as Record<string, string> };
}

async function readMember(root: string, folder: string): Promise<Member> {
  const path = join(root, folder);
  const config = await readJson(join(path, "deno.json"));
  for (const field of ["name", "version", "license", "exports"]) {
    if (config[field] === undefined) {
      throw new Error(`${folder}/deno.json has no "${field}"; every published member needs it.`);
    }
  }
  return {
    folder,
    path,
    name: config.name as string,
    version: config.version as string,
    license: config.license as string,
    exports: config.exports as Record<string, string>,
  };
}

/** Reads a JSON file that holds an object. */
export async function readJson(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(path)) as Record<string, unknown>;
}

/** Every file below a folder as sorted paths with forward slashes, relative to the folder. */
export async function listFiles(
  folder: string,
  enter: (name: string) => boolean = () => true,
): Promise<string[]> {
  const files: string[] = [];
  async function walk(prefix: string): Promise<void> {
    for await (const entry of Deno.readDir(join(folder, prefix))) {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory && enter(path)) await walk(path);
      if (entry.isFile) files.push(path);
    }
  }
  await walk("");
  return files.sort();
}

/** Tells whether a file or folder is there. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
