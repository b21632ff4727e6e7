/**
 * Finds the PostgreSQL server that the tests start, and installs it where that needs nobody's
 * permission.
 *
 * @module
 */

import { join } from "node:path";
import process from "node:process";
import { findProgram, installPackage } from "./apt.ts";
import { exists } from "./workspace.ts";

// Where Debian keeps the programs of each version, off the PATH.
const debianFolder = "/usr/lib/postgresql";

/** Advice for a missing PostgreSQL. */
export const postgresHint: string =
  "PostgreSQL is missing: install it (Debian: apt-get install postgresql) or set POSTGRES_BIN to the folder of initdb and postgres.";

/**
 * The folder of `initdb` and `postgres`: `POSTGRES_BIN`, else the PATH, else Debian's newest; null when there is none.
 */
export async function findPostgres(): Promise<string | null> {
  const chosen = process.env.POSTGRES_BIN;
  if (chosen) return await isServerFolder(chosen) ? chosen : null;
  const found = await findProgram(["initdb"]);
  const folders = found ? [join(found, ".."), ...await debianFolders()] : await debianFolders();
  for (const folder of folders) if (await isServerFolder(folder)) return folder;
  return null;
}

async function isServerFolder(folder: string): Promise<boolean> {
  return await exists(join(folder, "initdb")) && await exists(join(folder, "postgres"));
}

async function debianFolders(): Promise<string[]> {
  if (!await exists(debianFolder)) return [];
  const versions: string[] = [];
  for await (const { name } of Deno.readDir(debianFolder)) versions.push(name);
  versions.sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(debianFolder, version, "bin"));
}

/**
 * Installs PostgreSQL with apt-get when it is missing, no other was chosen by `POSTGRES_BIN`, and this
 * process is root on a system that has apt-get.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns The folder of its programs; null when there is none.
 */
export async function ensurePostgres(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<string | null> {
  const present = await findPostgres();
  if (present || process.env.POSTGRES_BIN || !isRoot) return present;
  if (!await installPackage({ name: "postgresql", missing: "PostgreSQL" }, say)) return null;
  return await findPostgres();
}
