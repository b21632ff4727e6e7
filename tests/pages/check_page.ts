import axe from "axe-core";
import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { AXE, learnContrasts } from "../support/axe.ts";
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

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const CONTRAST = "color-contrast";

/** The rules of WCAG 2.2, levels A and AA, and axe's best practices, but that of contrasts and what axe tries out. */
const EVERY_RULE = axe.getRules(TAGS)
  .filter(({ ruleId, tags }) => ruleId !== CONTRAST && !/experimental|deprecated/.test(`${tags}`))
  .map(({ ruleId }) => ruleId);

/** The rules that ask for sizes or places; every other one but that of colours asks for elements and names. */
const RULES_OF_SIZES = ["link-in-text-block", "target-size", "scrollable-region-focusable"];

const SIZES = { phone: { width: 320, height: 640 }, desktop: { width: 1280, height: 800 } };

type ColorScheme = "light" | "dark";

/** On each push each size and each scheme once: places depend on the size alone, colours on the scheme alone. */
const SCHEMES: Record<keyof typeof SIZES, readonly ColorScheme[]> = inMatrix
  ? { phone: ["light", "dark"], desktop: ["light", "dark"] }
  : { phone: ["light"], desktop: ["dark"] };

const contrasts = new Set<string>();

/** Brings axe into a page, unless its context does. */
async function load(page: Page): Promise<void> {
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(AXE);
}

/** Has axe look at a page by the rules of WCAG 2.2, levels A and AA, and its best practices. */
export async function assertAccessible(page: Page, about: string): Promise<void> {
  await load(page);
  await assertByAxe(page, EVERY_RULE, about);
}

/**
 * Looks at a page on a phone and a desktop, in the light and in the dark: in the first look by every rule, in the
 * others by those that ask for what a look changes. Contrasts are checked where no page before had the same.
 *
 * @param name What the page is called in failures and pictures.
 */
export async function assertLooks(page: Page, name: string): Promise<void> {
  await load(page);
  let rules = EVERY_RULE;
  for (const size of ["phone", "desktop"] as const) {
    await page.setViewportSize(SIZES[size]);
    for (const colorScheme of SCHEMES[size]) {
      await page.emulateMedia({ colorScheme });
      const look = `${name}-${size}-${colorScheme}`;
      await takePicture(page, `pages/${look}`);
      const hasContrasts = await learnContrasts(page, contrasts) || inMatrix;
      await assertByAxe(page, rules, look, hasContrasts);
      rules = RULES_OF_SIZES;
    }
  }
}

async function assertByAxe(
  page: Page,
  runOnly: readonly string[],
  about: string,
  hasContrasts = true,
): Promise<void> {
  const options = {
    runOnly: hasContrasts ? [...runOnly, CONTRAST] : runOnly,
    resultTypes: ["violations"],
  };
  const { violations } = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)})`,
  ) as AxeResults;
  const found = violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`
  );
  assert.deepEqual(found, [], about);
  // WCAG 2.2, 1.4.10: nothing to scroll sideways, also at 320 pixels.
  const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  assert.equal(wide, false, `${about} scrolls sideways`);
}
