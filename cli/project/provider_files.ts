import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { isNamedModule } from "./file_convention.ts";

/**
 * Reads which providers `app/auth/providers` holds. Only names are read.
 *
 * @param folder Absolute path of that folder.
 * @returns Absolute paths by id, which is the file's name.
 */
export async function readProviders(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory() && isNamedModule(entry.name))
    .map((entry) => entry.name)
    .sort();
  return Object.fromEntries(names.map((name) => [basename(name, ".ts"), join(folder, name)]));
}
