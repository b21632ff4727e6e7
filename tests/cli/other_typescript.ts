import { rm } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../scripts/workspace.ts";
import { linkFolder, linkNpmPackages } from "../support/npm_packages.ts";

/** The newest TypeScript, which needs a third of the time of the one before. */
export const newest = "7.0.2";

/** Puts a TypeScript, and what it brings along, into an application, where another one may stand. */
export async function replaceTypescript(root: string, version: string): Promise<void> {
  const modules = await linkNpmPackages({ typescript: version });
  for (const name of ["typescript", "@typescript"]) {
    const target = join(root, "node_modules", name);
    await rm(target, { recursive: true, force: true });
    // Only the newest has packages for each platform.
    if (name === "@typescript" && !await exists(join(modules, name))) continue;
    await linkFolder(join(modules, name), target);
  }
}
