import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserType } from "playwright-core";
import { TestingError } from "../errors.ts";

/** Browsers that pages can be opened in. */
export type BrowserName = "chromium" | "firefox" | "webkit";

const NAMES: readonly BrowserName[] = ["chromium", "firefox", "webkit"];

/** Names of Chromium's program, headless shell first: it starts in half the time. */
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

/** Options for starting a browser. */
export interface LaunchOptions {
  /** The browser. */
  name: BrowserName;
  /**
   * Path of its program. Default: Playwright's download; of Chromium `CHROMIUM_PATH`, then the first one on the PATH, come
   * before.
   */
  executablePath?: string | undefined;
  /** Address of the server that answers all of its requests. Default: none. */
  proxy?: string;
}

/**
 * Starts a headless browser with the project's own playwright-core.
 *
 * @param root The project's folder.
 * @throws {TestingError} `NO_BROWSER` when either is missing, `OPTIONS` for another browser.
 */
export async function launchBrowser(
  root: string,
  { name, executablePath = name === "chromium" ? chosenChromium() : undefined, proxy }:
    LaunchOptions,
): Promise<Browser> {
  if (!NAMES.includes(name)) {
    throw new TestingError(
      "OPTIONS",
      `The browser ${JSON.stringify(name)} is not known. Pass "chromium", "firefox" or "webkit".`,
    );
  }
  const browser = await loadPlaywright(root, name);
  const isChromium = name === "chromium";
  try {
    return await browser.launch({
      ...(executablePath !== undefined && { executablePath }),
      timeout: START_TIMEOUT,
      // Chromium's own sandbox does not work for root.
      args: isChromium && process.getuid?.() === 0 ? ["--no-sandbox"] : [],
      // Chromium asks this machine itself otherwise.
      ...(proxy !== undefined &&
        { proxy: { server: proxy, ...(isChromium && { bypass: "<-loopback>" }) } }),
    });
  } catch (cause) {
    throw new TestingError("NO_BROWSER", missing(name), { cause });
  }
}

function missing(name: BrowserName): string {
  if (name !== "chromium") {
    return `Playwright's ${name} could not be started. Install it: npx playwright-core install --with-deps ${name}`;
  }
  return "Chromium could not be started. Install it (Debian: apt-get install chromium; elsewhere: npx playwright-core " +
    "install chromium), or set CHROMIUM_PATH to its program.";
}

async function loadPlaywright(root: string, name: BrowserName): Promise<BrowserType> {
  try {
    const file = createRequire(join(root, "package.json")).resolve("playwright-core");
    const module = await import(/* @vite-ignore */ pathToFileURL(file).href);
    return (module[name] ?? module.default[name]) as BrowserType;
  } catch (cause) {
    throw new TestingError(
      "NO_BROWSER",
      `playwright-core is not installed in ${root}. Add it: npm install --save-dev playwright-core`,
      { cause },
    );
  }
}

function chosenChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return process.env["CHROMIUM_PATH"] ??
    PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}
