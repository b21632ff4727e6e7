/**
 * Writes archives whose bytes depend on nothing but their content, and the list of their checksums.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { create } from "tar";
import { npmDate } from "./npm.ts";

/**
 * Packs files of a folder, as they are named there, into a `.tar.gz`.
 *
 * @param options.level Effort of making it small, 1 to 9. Default: 9.
 */
export async function writeArchive(
  file: string,
  options: { folder: string; files: string[]; level?: number },
): Promise<void> {
  await create({
    file,
    cwd: options.folder,
    gzip: { level: options.level ?? 9 },
    portable: true,
    noDirRecurse: true,
    mtime: npmDate,
  }, [...options.files].sort());
}

/** SHA-256 of a file, in hexadecimal digits. */
export async function checksum(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of (await Deno.open(file)).readable) hash.update(chunk);
  return hash.digest("hex");
}

/** Writes `SHA256SUMS` into a folder, in the form that `sha256sum --check` reads. */
export async function writeChecksums(folder: string, files: string[]): Promise<string> {
  const lines: string[] = [];
  for (const file of [...files].sort()) {
    lines.push(`${await checksum(join(folder, file))}  ${basename(file)}\n`);
  }
  const path = join(folder, "SHA256SUMS");
  await Deno.writeTextFile(path, lines.join(""));
  return path;
}
