import { join } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import { repositoryRoot } from "../../scripts/workspace.ts";

/**
 * Keeps a picture of a whole page in tests/output/screenshots where somebody wants to look at it: with `SCREENSHOTS=1`.
 * No test compares one, and each costs as much as the page's load.
 *
 * @param name The file's, without its extension; it may begin with a folder's.
 */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== "1") return;
  const path = join(repositoryRoot, "tests", "output", "screenshots", `${name}.png`);
  await page.screenshot({ path, fullPage: true });
}
