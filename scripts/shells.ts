/**
 * Finds the shells in which completions are tested, and installs them where that needs nobody's
 * permission.
 *
 * @module
 */

import { findProgram, installPackage } from "./apt.ts";

/** The shells that `framework completions` writes for, bash aside: without bash nothing here runs. */
const shells = ["zsh", "fish"];

/** Advice for a missing shell. */
export const shellsHint: string =
  "A shell is missing: install it (Debian: apt-get install zsh fish).";

/**
 * Installs the missing ones with apt-get, when this process is root on a system that has it.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns Whether all are there.
 */
export async function ensureShells(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<boolean> {
  for (const shell of shells) {
    if (await findProgram([shell])) continue;
    if (!isRoot || !await installPackage({ name: shell, missing: shell }, say)) return false;
  }
  return true;
}
