import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import {
  CONTRAST,
  EVERY_RULE,
  findMistakes,
  findNewContrasts,
  learnKinds,
} from "../support/axe.ts";
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

/**
 * The rules that ask for sizes or places; every other one but that of colours asks for elements and names. A push asks
 * for them on a phone, which has the least room.
 */
const RULES_OF_SIZES: readonly string[] = inMatrix
  ? ["link-in-text-block", "target-size", "scrollable-region-focusable"]
  : [];

const SIZES = { phone: { width: 320, height: 640 }, desktop: { width: 1280, height: 800 } };

type ColorScheme = "light" | "dark";

/** On each push each size and each scheme once: places depend on the size alone, colours on the scheme alone. */
const SCHEMES: Record<keyof typeof SIZES, readonly ColorScheme[]> = inMatrix
  ? { phone: ["light", "dark"], desktop: ["light", "dark"] }
  : { phone: ["light"], desktop: ["dark"] };

const contrasts = new Set<string>();
const kinds = new Set<string>();

/** Has axe look at a page by the rules of WCAG 2.2, levels A and AA, and its best practices. */
export async function assertAccessible(page: Page, about: string): Promise<void> {
  await assertNone(page, await findMistakes(page, [...EVERY_RULE, CONTRAST]), about);
}

/**
 * Looks at a page on a phone and a desktop, in the light and in the dark: in the first look by every rule, in the
 * others of the matrix by those that ask for what a look changes. On each push contrasts are checked where no page
 * before had the same, the rest where a page has elements of a kind that none before had, and of any other page whether
 * a phone shows all its width.
 *
 * @param name What the page is called in failures and pictures.
 */
export async function assertLooks(page: Page, name: string): Promise<void> {
  const hasKinds = await learnKinds(page, kinds) || inMatrix;
  let rules = hasKinds ? EVERY_RULE : [];
  for (const size of ["phone", "desktop"] as const) {
    await page.setViewportSize(SIZES[size]);
    for (const colorScheme of SCHEMES[size]) {
      await page.emulateMedia({ colorScheme });
      const look = `${name}-${size}-${colorScheme}`;
      await takePicture(page, `pages/${look}`);
      const found = await findNewContrasts(page, inMatrix ? new Set() : contrasts);
      const others = rules.length > 0 ? await findMistakes(page, rules) : [];
      await assertNone(page, [...others, ...found ?? []], look);
      if (!hasKinds && found === null) return;
      rules = RULES_OF_SIZES;
    }
  }
}

async function assertNone(page: Page, mistakes: string[], about: string): Promise<void> {
  assert.deepEqual(mistakes, [], about);
  // WCAG 2.2, 1.4.10: nothing to scroll sideways, also at 320 pixels.
  const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  assert.equal(wide, false, `${about} scrolls sideways`);
}
