import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";

/**
 * Reads the map of the house in CONTRIBUTING.md.
 *
 * @returns Folders from the repository's root, such as "auth/sign_in", in the map's order, each with what it owns.
 * @throws {Error} When the map is missing, or a folder stands in it twice.
 */
export async function readMap(): Promise<Map<string, string>> {
  const text = await Deno.readTextFile(join(repositoryRoot, "CONTRIBUTING.md"));
  const block = text.match(/^## The map of the house\n+```\n([^]*?)```/m)?.[1];
  if (block === undefined) throw new Error("CONTRIBUTING.md has no map of the house");
  const map = new Map<string, string>();
  const path: string[] = [];
  for (const [, indent, name, owns] of block.matchAll(/^( *)(\S+)\/ +(\S.*)$/gm)) {
    path.splice(indent!.length / 2, Infinity, name!);
    const folder = path.join("/");
    if (map.has(folder)) throw new Error(`${folder}/ stands twice in the map of the house`);
    map.set(folder, owns!);
  }
  return map;
}
