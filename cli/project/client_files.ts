import { readFileSync } from "node:fs";
import { hasClientDirective } from "../client/directive.ts";
import { componentFiles } from "./file_convention.ts";
import { entriesIfAny, type FolderEntries } from "./folder_entries.ts";
import { childPath } from "./paths.ts";

/**
 * Finds the files whose components run in the browser too, wherever they stand in an application's folder.
 *
 * @param appDir Absolute path of the application's folder.
 * @param entries Lists folders.
 * @returns Absolute paths, in the same order on every machine.
 */
export function scanClients(appDir: string, entries: FolderEntries): string[] {
  const found: string[] = [];
  function read(folder: string): void {
    for (const entry of entriesIfAny(entries, folder)) {
      const { name } = entry;
      const path = childPath(folder, name);
      if (entry.isDirectory()) {
        if (name !== "node_modules") read(path);
      } else if (mayBeClient(name) && hasClientDirective(textOf(path))) found.push(path);
    }
  }
  read(appDir);
  return found.sort();
}

function mayBeClient(name: string): boolean {
  return /\.[jt]sx$/.test(name) && !/(_test|\.(test|spec))\.[jt]sx$/.test(name) &&
    !componentFiles.has(name);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
