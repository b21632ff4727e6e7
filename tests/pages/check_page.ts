import axe from "axe-core";
import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { inMatrix } from "../support/matrix.ts";
import { takePicture } from "../support/picture.ts";

/** Forbidden behaviour of a page. Its requests may go to the given origins only. */
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

const EVERY_RULE = [
  "wcag2a",
  "wcag2aa",
  "wcag21a",
  "wcag21aa",
  "wcag22aa",
  "best-practice",
];

/**
 * The rules that ask for colours, sizes or places; every other one asks for elements and names, which no look changes.
 */
const RULES_OF_LOOKS = [
  "color-contrast",
  "link-in-text-block",
  "target-size",
  "scrollable-region-focusable",
];

const SIZES = { phone: { width: 320, height: 640 }, desktop: { width: 1280, height: 800 } };

type ColorScheme = "light" | "dark";

/** On each push each size and each scheme once: places depend on the size alone, colours on the scheme alone. */
const SCHEMES: Record<keyof typeof SIZES, readonly ColorScheme[]> = inMatrix
  ? { phone: ["light", "dark"], desktop: ["light", "dark"] }
  : { phone: ["light"], desktop: ["dark"] };

/** Has axe look at a page by the rules of WCAG 2.2, levels A and AA, and its best practices. */
export async function assertAccessible(page: Page, about: string): Promise<void> {
  await page.evaluate(axe.source);
  await assertByAxe(page, EVERY_RULE, about);
}

/**
 * Looks at a page on a phone and a desktop, in the light and in the dark: in the first look by every rule, in the
 * others by those that ask for what a look changes.
 *
 * @param name What the page is called in failures and pictures.
 */
export async function assertLooks(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  let rules = EVERY_RULE;
  for (const size of ["phone", "desktop"] as const) {
    await page.setViewportSize(SIZES[size]);
    for (const colorScheme of SCHEMES[size]) {
      await page.emulateMedia({ colorScheme });
      const look = `${name}-${size}-${colorScheme}`;
      await takePicture(page, `pages/${look}`);
      await assertByAxe(page, rules, look);
      rules = RULES_OF_LOOKS;
    }
  }
}

async function assertByAxe(page: Page, rules: string[], about: string): Promise<void> {
  const { violations } = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] })`,
  ) as AxeResults;
  const found = violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`
  );
  assert.deepEqual(found, [], about);
  // WCAG 2.2, 1.4.10: nothing to scroll sideways, also at 320 pixels.
  const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  assert.equal(wide, false, `${about} scrolls sideways`);
}
