import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasClientDirective } from "../client/directive.ts";
import { componentFiles } from "./file_convention.ts";

/**
 * Finds the files whose components run in the browser too, wherever they stand in an application's folder.
 *
 * @param appDir Absolute path of the application's folder.
 * @returns Absolute paths, in the same order on every machine.
 */
export async function scanClients(appDir: string): Promise<string[]> {
  const found: string[] = [];
  async function read(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    await Promise.all(entries.map(async (entry) => {
      const { name } = entry;
      const path = join(folder, name);
      if (entry.isDirectory()) return name === "node_modules" ? undefined : await read(path);
      if (!/\.[jt]sx$/.test(name) || /(_test|\.(test|spec))\.[jt]sx$/.test(name)) return;
      if (componentFiles.has(name)) return;
      if (hasClientDirective(await readFile(path, "utf8").catch(() => ""))) found.push(path);
    }));
  }
  await read(appDir);
  return found.sort();
}
