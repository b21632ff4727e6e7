import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserType } from "playwright-core";
import { TestingError } from "../errors.ts";

/** Names of the program, headless shell first: it starts in half the time. */
const PROGRAMS = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/**
 * Time limit for starting the browser and loading the first page, in milliseconds. The test
 * runner's own limit may be shorter.
 */
export const START_TIMEOUT = 180_000;

/**
 * Starts headless Chromium with the project's own playwright-core.
 *
 * @param root The project's folder.
 * @param executablePath Path of the program. Default: `CHROMIUM_PATH`, then the first Chromium on
 * the PATH, then Playwright's download.
 * @throws {TestingError} `NO_BROWSER` when either is missing.
 */
export async function launchChromium(
  root: string,
  executablePath: string | undefined = process.env["CHROMIUM_PATH"] ?? findProgram(),
): Promise<Browser> {
  const chromium = await loadPlaywright(root);
  try {
    return await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      timeout: START_TIMEOUT,
      // Chromium's own sandbox does not work for root.
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    });
  } catch (cause) {
    throw new TestingError(
      "NO_BROWSER",
      "Chromium could not be started. Install it (Debian: apt-get install chromium; elsewhere: npx playwright-core " +
        "install chromium), or set CHROMIUM_PATH to its program.",
      { cause },
    );
  }
}

async function loadPlaywright(root: string): Promise<BrowserType> {
  try {
    const file = createRequire(join(root, "package.json")).resolve("playwright-core");
    const module = await import(/* @vite-ignore */ pathToFileURL(file).href);
    return (module.chromium ?? module.default.chromium) as BrowserType;
  } catch (cause) {
    throw new TestingError(
      "NO_BROWSER",
      `playwright-core is not installed in ${root}. Add it: npm install --save-dev playwright-core`,
      { cause },
    );
  }
}

function findProgram(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}
