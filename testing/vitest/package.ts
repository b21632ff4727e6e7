import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Finds the folder of a package as Node resolves it from a folder; null when it is not installed. */
export function findPackage(name: string, folder: string): string | null {
  const found = join(folder, "node_modules", name);
  if (existsSync(join(found, "package.json"))) return found;
  const above = dirname(folder);
  return above === folder ? null : findPackage(name, above);
}

/** Returns the major version of an installed package; null when it is not installed. */
export function majorOf(name: string, folder: string): number | null {
  const found = findPackage(name, folder);
  if (found === null) return null;
  const { version } = JSON.parse(readFileSync(join(found, "package.json"), "utf8"));
  return Number.parseInt(version, 10);
}
