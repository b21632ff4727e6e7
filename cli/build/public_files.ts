import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { Diagnostic } from "../terminal/diagnostics.ts";

/** Names with a dot in front that belong to a site: RFC 8615, and the platform's own file. */
const PUBLIC = new Set([".well-known", ".assetsignore"]);

/** Files that systems and version control leave in folders: nobody means them to be public. */
const QUIET = new Set([".DS_Store", ".gitignore", ".gitkeep", ".keep"]);

function isHidden(name: string): boolean {
  return name.startsWith(".") && !PUBLIC.has(name);
}

/**
 * Copies the static files of a project. Files and folders whose names begin with a dot stay behind: they are settings,
 * secrets and histories of tools, such as `.env` and `.git`, which scanners ask every site for.
 *
 * @param from Absolute path of the project's folder of static files; it may not exist.
 * @param to Absolute path of the folder to write.
 * @returns A warning for each that stays behind and may have been meant to be public, or holds secrets.
 */
export async function copyPublicFiles(from: string, to: string): Promise<Diagnostic[]> {
  await mkdir(to, { recursive: true });
  if (!existsSync(from)) return [];
  const left: string[] = [];
  await cp(from, to, {
    recursive: true,
    dereference: true,
    filter(source) {
      if (source === from || !isHidden(basename(source))) return true;
      left.push(relative(from, source).split(sep).join("/"));
      return false;
    },
  });
  return left.filter((path) => !QUIET.has(basename(path))).sort().map((path) => ({
    message: `${basename(from)}/${path} is not in the build, since its name begins with a dot.`,
    notes: ["Every file of the build is public. Move it out of the folder of static files."],
  }));
}

/**
 * Finds the static file of a request that no build has.
 *
 * @param folder Absolute path of the project's folder of static files.
 * @param target Path of the request, with its query.
 * @returns Name of the file from the project on; undefined for every other request.
 */
export function findHiddenFile(folder: string, target: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(`http://localhost${target}`).pathname);
    const parts = path.split(/[\\/]+/).filter((part) => part !== "");
    if (parts.includes("..") || !parts.some(isHidden)) return undefined;
    return existsSync(join(folder, ...parts))
      ? `${basename(folder)}/${parts.join("/")}`
      : undefined;
  } catch {
    // No path that a file can have.
    return undefined;
  }
}
