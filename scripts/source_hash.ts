/**
 * One hash over everything that decides the bytes of the packages, so that they are built once per
 * state of the source and never used stale.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { listFiles, readJson, type Workspace } from "./workspace.ts";

/**
 * Hashes the members' published files, the guides, the shared imports and compiler options, the versions that are
 * installed, what the npm packages add, the programs that pack, and the version of Deno.
 *
 * @returns 64 hexadecimal digits.
 */
export async function sourceHash(workspace: Workspace): Promise<string> {
  const hash = createHash("sha256");
  const { imports, compilerOptions } = await readJson(join(workspace.root, "deno.json"));
  hash.update(JSON.stringify([Deno.version.deno, imports, compilerOptions]));
  for (const member of workspace.members) {
    const files = await listFiles(member.path, (folder) => !unpublishedFolder.test(folder));
    for (const file of files.filter(isPublished)) await add(`${member.folder}/${file}`);
  }
  for (const file of await listFiles(join(workspace.root, "scripts"), () => false)) {
    if (packingProgram.test(file) && isPublished(file)) await add(`scripts/${file}`);
  }
  for (const file of await listFiles(join(workspace.root, "docs"), () => false)) {
    await add(`docs/${file}`);
  }
  await add("SECURITY.md");
  await add("npm/packages.json");
  await add("deno.lock");
  return hash.digest("hex");

  async function add(file: string): Promise<void> {
    const bytes = await Deno.readFile(join(workspace.root, file));
    hash.update(`\n${file} ${bytes.length}\n`).update(bytes);
  }
}

// The starter's own files count through the module that embeds them.
const unpublishedFolder = /(^|\/)(node_modules|templates\/starter|\.[^/]*)$/;
const packingProgram = /^(npm|workspace|run_command|source_hash)/;

function isPublished(file: string): boolean {
  return !/_test\.tsx?$/.test(file);
}
