/**
 * Finds the browser that the tests drive, and installs it where that needs nobody's permission.
 *
 * @module
 */

import { delimiter, join } from "node:path";
import process from "node:process";
import { capture } from "./run_command.ts";
import { exists } from "./workspace.ts";

const programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const macApplication = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** What a person does who has no browser for the tests. */
export const chromiumHint: string =
  "Chromium is missing: install it (Debian: apt-get install chromium) or set CHROMIUM_PATH to its program.";

/** Path of a Chromium program: `CHROMIUM_PATH`, else the first on the PATH; null when there is none. */
export async function findChromium(): Promise<string | null> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return await exists(chosen) ? chosen : null;
  const found = await findProgram(programs);
  if (found) return found;
  return await exists(macApplication) ? macApplication : null;
}

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
 * Installs Chromium with apt-get when it is missing, no other was chosen by `CHROMIUM_PATH`, and
 * this process is root on a system that has apt-get.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns The program's path; null when there is none.
 */
export async function ensureChromium(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<string | null> {
  const present = await findChromium();
  if (present || process.env.CHROMIUM_PATH || !isRoot) return present;
  const apt = await findProgram(["apt-get"]);
  if (!apt) return null;
  say("Chromium is missing: installing it with apt-get.");
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { code, stderr } = await capture(apt, args, { env });
    if (code !== 0) {
      say(`apt-get ${args[0]} failed:\n${stderr.trim()}`);
      return null;
    }
  }
  return await findChromium();
}
