import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { linkNpmPackages } from "../support/npm_packages.ts";

const COPIES = fileURLToPath(new URL("../output/projects/", import.meta.url));

/**
 * Copies a worker of this folder into one of its own, with packages that npm installs.
 *
 * @param name Name of the folder.
 * @param versions Exact versions of the packages.
 * @returns The folder, and its removal.
 */
export async function copyWorker(
  name: string,
  versions: Record<string, string>,
): Promise<{ cwd: string; remove(): Promise<void> }> {
  const modules = await linkNpmPackages(versions);
  await mkdir(COPIES, { recursive: true });
  const cwd = await mkdtemp(COPIES);
  await cp(fileURLToPath(new URL(`./${name}`, import.meta.url)), cwd, { recursive: true });
  await symlink(modules, join(cwd, "node_modules"), "dir");
  return { cwd, remove: () => rm(cwd, { recursive: true, force: true }) };
}
