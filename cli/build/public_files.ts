import { existsSync } from "node:fs";
import { cp, lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import { contains } from "../tools/paths.ts";

/** Names with a dot in front that belong to a site: RFC 8615, and the platform's own file. */
const PUBLIC = new Set([".well-known", ".assetsignore"]);

/** Files that systems and version control leave in folders: nobody means them to be public. */
const QUIET = new Set([".DS_Store", ".gitignore", ".gitkeep", ".keep"]);

function isHidden(name: string): boolean {
  return name.startsWith(".") && !PUBLIC.has(name);
}

/**
 * Copies the static files of a project. Files and folders whose names begin with a dot stay behind: they are settings,
 * secrets and histories of tools, such as `.env` and `.git`, which scanners ask every site for; under another name, as a
 * link, they do too. Of other links the build has what they lead to.
 *
 * @param from Absolute path of the project's folder of static files; it may not exist.
 * @param to Absolute path of the folder to write.
 * @returns A warning for each that stays behind and may have been meant to be public, or holds secrets, and for each link
 * that leads out of the project.
 */
export async function copyPublicFiles(from: string, to: string): Promise<Diagnostic[]> {
  await mkdir(to, { recursive: true });
  if (!existsSync(from)) return [];
  const project = await realpath(dirname(from));
  const left: string[] = [];
  const outside: [path: string, target: string][] = [];
  const nowhere: string[] = [];

  async function isPublic(source: string): Promise<boolean> {
    const path = relative(from, source).split(sep).join("/");
    const isLink = (await lstat(source)).isSymbolicLink();
    const target = isLink ? await realpath(source).catch(() => null) : source;
    if (target === null) {
      nowhere.push(path);
      return false;
    }
    if ([source, target].some((one) => isHidden(basename(one)))) {
      left.push(path);
      return false;
    }
    if (isLink && !contains(project, target)) outside.push([path, target]);
    return true;
  }

  await cp(from, to, {
    recursive: true,
    dereference: true,
    filter: (source) => source === from || isPublic(source),
  });
  const folder = basename(from);
  const notes = ["Every file of the build is public. Move it out of the folder of static files."];
  return [
    ...left.filter((path) => !QUIET.has(basename(path))).sort().map((path) => ({
      message: isHidden(basename(path))
        ? `${folder}/${path} is not in the build, since its name begins with a dot.`
        : `${folder}/${path} is not in the build: it is a link to a name that begins with a dot.`,
      notes,
    })),
    ...nowhere.sort().map((path) => ({
      message: `${folder}/${path} is not in the build: it is a link that leads nowhere.`,
      notes: ["Remove the link, or put the file where it leads."],
    })),
    ...outside.sort().map(([path, target]) => ({
      message: `${folder}/${path} is a link out of the project: the build has a copy of ${target}.`,
      notes: ["Every file of the build is public. Remove the link, or copy the file."],
    })),
  ];
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
