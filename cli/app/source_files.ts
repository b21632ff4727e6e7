import { existsSync, readdirSync } from "node:fs";
import { childPath } from "../tools/paths.ts";

/**
 * Lists the source files below a folder, without tests, declarations and packages.
 *
 * @param folder Absolute path of the folder; it may not exist.
 */
export function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = childPath(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourceFiles(path);
    const isSource = /\.[jt]sx?$/.test(entry.name) && !/[._](test|spec|d)\.\w+$/.test(entry.name);
    return isSource ? [path] : [];
  });
}
