import { basename, join } from "node:path";
import { isNamedModule } from "./file_convention.ts";
import type { FolderEntries } from "./folder_entries.ts";

/**
 * Reads which providers `app/auth/providers` holds. Only names are read.
 *
 * @param folder Absolute path of that folder.
 * @param entries Lists folders.
 * @returns Absolute paths by id, which is the file's name.
 */
export function readProviders(folder: string, entries: FolderEntries): Record<string, string> {
  const names = entries(folder)
    .filter((entry) => !entry.isDirectory() && isNamedModule(entry.name))
    .map((entry) => entry.name)
    .sort();
  return Object.fromEntries(names.map((name) => [basename(name, ".ts"), join(folder, name)]));
}
