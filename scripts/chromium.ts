/**
 * Finds the browser that the tests drive, and installs it where that needs nobody's permission.
 *
 * @module
 */

import process from "node:process";
import { findProgram, installPackage } from "./apt.ts";
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
  if (!await installPackage({ name: "chromium", missing: "Chromium" }, say)) return null;
  return await findChromium();
}
