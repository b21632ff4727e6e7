/**
 * Installs what the tests drive and what is missing, where that needs nobody's permission.
 *
 * @module
 */

import { delimiter, join } from "node:path";
import process from "node:process";
import { capture } from "./run_command.ts";
import { exists } from "./workspace.ts";

/** Full path of the first of some programs that is on the PATH, or null. */
export async function findProgram(names: string[]): Promise<string | null> {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      if (folder !== "" && await exists(join(folder, name))) return join(folder, name);
    }
  }
  return null;
}

/**
 * Installs a package of Debian with apt-get, where there is one.
 *
 * @param missing What the package is for, as a person calls it.
 * @param say Told what is being done.
 * @returns Whether it is installed now.
 */
export async function installPackage(
  { name, missing }: { name: string; missing: string },
  say: (line: string) => void,
): Promise<boolean> {
  const apt = await findProgram(["apt-get"]);
  if (!apt) return false;
  say(`${missing} is missing: installing it with apt-get.`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", name]]) {
    const { code, stderr } = await capture(apt, args, { env });
    if (code !== 0) {
      say(`apt-get ${args[0]} failed:\n${stderr.trim()}`);
      return false;
    }
  }
  return true;
}
