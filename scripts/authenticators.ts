/**
 * Finds the authenticators that one-time codes are compared with, and installs them where that needs nobody's
 * permission.
 *
 * @module
 */

import { findProgram, installPackage } from "./apt.ts";
import { capture } from "./run_command.ts";

/** Packages of Debian, with what says if one is there. */
const packages: Record<string, () => Promise<boolean>> = {
  oathtool: async () => await findProgram(["oathtool"]) !== null,
  // Debian's own Python, whatever else is on the PATH.
  "python3-pyotp": () =>
    capture("/usr/bin/python3", ["-c", "import pyotp"]).then(({ code }) => code === 0, () => false),
  keepassxc: async () => await findProgram(["keepassxc-cli"]) !== null,
};

/** Advice for a missing authenticator. */
export const authenticatorsHint: string =
  "An authenticator is missing: install it (Debian: apt-get install oathtool python3-pyotp keepassxc).";

/**
 * Installs the missing ones with apt-get, when this process is root on a system that has it.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns Whether all are there.
 */
export async function ensureAuthenticators(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<boolean> {
  for (const [name, isThere] of Object.entries(packages)) {
    if (await isThere()) continue;
    if (!isRoot || !await installPackage({ name, missing: name }, say)) return false;
  }
  return true;
}
