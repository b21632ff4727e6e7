/**
 * Finds the Valkey or Redis server that the tests start, and installs one where that needs nobody's permission.
 *
 * @module
 */

import { findProgram, installPackage } from "./apt.ts";

// Debian 12 has Redis alone, later ones both.
const programs = ["valkey-server", "redis-server"];

/** Advice for a missing server. */
export const valkeyHint: string =
  "Valkey is missing: install it or Redis (Debian: apt-get install valkey-server, or redis-server).";

/** Finds `valkey-server`, else `redis-server`, on the PATH; null when there is none. */
export async function findValkey(): Promise<string | null> {
  return await findProgram(programs);
}

/**
 * Installs a server with apt-get when it is missing and this process is root on a system that has apt-get.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns Its program; null when there is none.
 */
export async function ensureValkey(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<string | null> {
  const present = await findValkey();
  if (present !== null || !isRoot) return present;
  for (const name of programs) {
    if (await installPackage({ name, missing: "Valkey" }, say)) return await findValkey();
  }
  return null;
}
