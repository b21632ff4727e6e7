import axe from "axe-core";
import assert from "node:assert/strict";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** What a page did that none may do. Its requests go to the given origins only. */
export function watch(context: BrowserContext, origins: string | string[]): string[] {
  const complaints: string[] = [];
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("console", (message) => {
    const isStatus = /the server responded with a status of [45]\d\d/.test(message.text());
    if (message.type() === "error" && !isStatus) complaints.push(message.text());
  });
  context.on("request", (request) => {
    const isKnown = [origins].flat().some((origin) => request.url().startsWith(`${origin}/`));
    if (!isKnown) complaints.push(`foreign request: ${request.url()}`);
  });
  return complaints;
}

interface AxeResults {
  violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
}

/** Has axe look at a page by the rules of WCAG 2.2, levels A and AA, and its best practices. */
export async function assertAccessible(page: Page, about: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(`axe.run(document, { runOnly: [
    "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice",
  ] })`) as AxeResults;
  const found = violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`
  );
  assert.deepEqual(found, [], about);
  // WCAG 2.2, 1.4.10: nothing to scroll sideways, also at 320 pixels.
  const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  assert.equal(wide, false, `${about} scrolls sideways`);
}

/** Keeps a picture of a page where people look at them. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const path = join(repositoryRoot, "tests", "output", "screenshots", "pages", `${name}.png`);
  await page.screenshot({ path, fullPage: true });
}
