import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EsbuildResult } from "../tools/bundler_and_emulator.ts";

/** Name of the file with the notices, in the folder of the build and among the files for browsers. */
export const noticesFile = "third_party_notices.txt";

/** Folders of packages whose code is in a build, as esbuild names them: relative to the project. */
export interface BundledPackages {
  /** Those of the worker, and of the server around it. */
  program: string[];
  /** Those of scripts and stylesheets. */
  browser: string[];
}

/**
 * Lists the files that have a part in the output of a bundler.
 *
 * @param results What the bundler made; nothing for bundles that there are none of.
 */
export function bundledFiles(
  ...results: (Pick<EsbuildResult, "metafile"> | null | undefined)[]
): string[] {
  return results.flatMap((result) => Object.values(result?.metafile.outputs ?? {}))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([path, { bytesInOutput }]) => bytesInOutput > 0 ? [path] : []);
}

/**
 * Returns the folders of the packages that files belong to, each once.
 *
 * @param files Paths with forward slashes.
 */
export function packageFolders(files: readonly string[]): string[] {
  const found = files.flatMap((path) =>
    /^([^:]*\bnode_modules\/(?:@[^/]+\/)?[^/@][^/]*)\//.exec(path)?.[1] ?? []
  );
  return [...new Set(found)].sort();
}

/**
 * Writes the licence notices of the packages in a build, which their licences ask to be kept with every copy: beside
 * the program those of all, among the files for browsers those of what browsers get.
 *
 * @param folder Absolute path of the build.
 * @param root Absolute path of the project.
 * @param packages The packages.
 */
export async function writeNotices(
  folder: string,
  root: string,
  { program, browser }: BundledPackages,
): Promise<void> {
  const all = [...new Set([...program, ...browser])];
  await writeFile(join(folder, noticesFile), await noticesOf(root, all));
  if (browser.length === 0) return;
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "assets", noticesFile), await noticesOf(root, browser));
}

async function noticesOf(root: string, folders: readonly string[]): Promise<string> {
  const notices = await Promise.all(folders.map((folder) => noticeOf(resolve(root, folder))));
  // One package may lie in several places.
  return [
    "Licence notices of the packages whose code is in this build.\n",
    ...[...new Set(notices)].sort(),
  ].join("\n");
}

async function noticeOf(folder: string): Promise<string> {
  const manifest = join(folder, "package.json");
  const { name = folder.split("node_modules/").at(-1)!, version = "", license = "" } =
    existsSync(manifest)
      ? JSON.parse(await readFile(manifest, "utf8")) as Record<string, string>
      : {};
  const files = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && /^(?:licen[cs]e|notice|copying)/i.test(entry.name))
    .map((entry) => entry.name);
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), "utf8")));
  const said = typeof license === "string" && license !== "" ? `, ${license}` : "";
  return [`==== ${name} ${version}${said} ====\n`, ...texts.map((text) => `${text.trim()}\n`)]
    .join("\n");
}
