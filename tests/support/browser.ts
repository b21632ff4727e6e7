import { type Browser, chromium } from "playwright-core";
import { chromiumHint, findChromium } from "../../scripts/chromium.ts";

/** Starts Chromium without a window, and without the calls home that a closed network refuses. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error(chromiumHint);
  return await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
