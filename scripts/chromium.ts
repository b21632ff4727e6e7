/**
 * Finds the browser that the tests drive, and installs it where that needs nobody's permission.
 *
 * @module
 */

import process from "node:process";
import { findProgram, installPackage } from "./apt.ts";
import { exists } from "./workspace.ts";

/** Chromium without its windows: it starts and loads pages in half of the time that the whole takes. */
const shell = "chromium-headless-shell";
const wholes = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const macApplication = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** Advice for a missing browser. */
export const chromiumHint: string =
  "Chromium is missing: install it (Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH to its program.";

/** Path of a Chromium program: `CHROMIUM_PATH`, else the first on the PATH; null when there is none. */
export async function findChromium(): Promise<string | null> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return await exists(chosen) ? chosen : null;
  const found = await findProgram([shell, ...wholes]);
  if (found) return found;
  return await exists(macApplication) ? macApplication : null;
}

/**
 * Installs Chromium's headless shell with apt-get when it is missing, no browser was chosen by `CHROMIUM_PATH`, and
 * this process is root on a system that has apt-get; the whole Chromium where there is no such package and no other
 * browser.
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
  if (process.env.CHROMIUM_PATH || !isRoot || await findProgram([shell])) return present;
  if (!await installPackage({ name: shell, missing: "Chromium's headless shell" }, say)) {
    if (present) return present;
    await installPackage({ name: "chromium", missing: "Chromium" }, say);
  }
  return await findChromium();
}

/** Advice for a missing whole browser. */
export const wholeChromiumHint: string =
  "The whole Chromium is missing, without which no session is bound to a device: install it (Debian: apt-get install chromium).";

/** Path of a whole Chromium, which binds sessions to devices as the headless shell does not; null when there is none. */
export async function findWholeChromium(): Promise<string | null> {
  const found = await findProgram(wholes);
  if (found) return found;
  return await exists(macApplication) ? macApplication : null;
}

/**
 * Installs the whole Chromium with apt-get when it is missing and this process is root on a system that has apt-get.
 *
 * @param say Told what is being done.
 * @param isRoot Whether this process may install. Default: when its user is root.
 * @returns The program's path; null when there is none.
 */
export async function ensureWholeChromium(
  say: (line: string) => void,
  isRoot: boolean = Deno.uid() === 0,
): Promise<string | null> {
  const present = await findWholeChromium();
  if (present || !isRoot) return present;
  await installPackage({ name: "chromium", missing: "The whole Chromium" }, say);
  return await findWholeChromium();
}
