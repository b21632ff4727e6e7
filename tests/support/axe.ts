import { join } from "node:path";
import type { Page } from "playwright-core";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** The script of axe, without what its module's `source` has for people: each page reads it once more. */
export const AXE: string = await Deno.readTextFile(
  join(repositoryRoot, "node_modules", "axe-core", "axe.min.js"),
);

/** Script that reads, for each element with text and each field, everything that its contrast depends on. */
const CONTRASTS = `(() => {
  const known = new Map([[null, ""]]);
  const groundOf = (element) => {
    if (known.has(element)) return known.get(element);
    const { background, opacity } = getComputedStyle(element);
    const own = background.startsWith("rgba(0, 0, 0, 0) none") ? "" : background;
    const ground = (opacity === "1" ? "" : opacity) + own + groundOf(element.parentElement);
    known.set(element, ground);
    return ground;
  };
  const found = [...document.body.querySelectorAll("*")]
    .filter((element) =>
      element.matches("input, textarea") ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    )
    .map((element) => {
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      return [color, fontSize, fontWeight, groundOf(element)].join(" ");
    });
  return [...new Set(found)];
})()`;

/**
 * Adds the contrasts of a page to those of the pages before it. They are most of what axe works at, and pages of one
 * design repeat them.
 *
 * @returns True when the page has one that no page before it has had.
 */
export async function learnContrasts(page: Page, known: Set<string>): Promise<boolean> {
  const before = known.size;
  for (const contrast of await page.evaluate(CONTRASTS) as string[]) known.add(contrast);
  return known.size > before;
}
