/**
 * Finds the MariaDB server that the tests start, and installs it where that needs nobody's permission.
 *
 * @module
 */

import { findProgram, installPackage } from "./apt.ts";
import { exists } from "./workspace.ts";

/** Programs of a server: the one that serves, and the one that makes its files. */
export interface MariadbPrograms {
  /** Path of `mariadbd`. */
  server: string;
  /** Path of `mariadb-install-db`. */
  install: string;
}

/** Advice for a missing MariaDB. */
export const mariadbHint: string =
  "MariaDB is missing: install it (Debian: apt-get install mariadb-server) or put mariadbd and mariadb-install-db on the PATH.";

// Where Debian keeps servers, off the PATH of whoever is not root.
const debianServer = "/usr/sbin/mariadbd";

/** Finds `mariadbd` and `mariadb-install-db` on the PATH, or where Debian has them; null when one is missing. */
export async function findMariadb(): Promise<MariadbPrograms | null> {
  const server = await findProgram(["mariadbd"]) ??
    (await exists(debianServer) ? debianServer : null);
  const install = await findProgram(["mariadb-install-db"]);
  return server !== null && install !== null ? { server, install } : null;
}

/**
 * Installs MariaDB with apt-get when it is missing and this process is root on a system that has apt-get.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns Its programs; null when there is none.
 */
export async function ensureMariadb(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<MariadbPrograms | null> {
  const present = await findMariadb();
  if (present !== null || !isRoot) return present;
  if (!await installPackage({ name: "mariadb-server", missing: "MariaDB" }, say)) return null;
  return await findMariadb();
}
