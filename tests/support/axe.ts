import axe from "axe-core";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** The script of axe, without what its module's `source` has for people: each page reads it once more. */
const AXE = await Deno.readTextFile(
  join(repositoryRoot, "node_modules", "axe-core", "axe.min.js"),
);

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rule of contrasts, most of what axe works at. */
export const CONTRAST = "color-contrast";

/** The rules of WCAG 2.2, levels A and AA, and axe's best practices, but that of contrasts and what axe tries out. */
export const EVERY_RULE: readonly string[] = axe.getRules(TAGS)
  .filter(({ ruleId, tags }) => ruleId !== CONTRAST && !/experimental|deprecated/.test(`${tags}`))
  .map(({ ruleId }) => ruleId);

/** A rule that a page breaks, and where. */
interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Has axe look at a page, or at those of its elements that a script names. Returns what breaks one of the rules. */
export async function findMistakes(
  page: Page,
  rules: readonly string[],
  elements = "document",
): Promise<string[]> {
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(AXE);
  const options = { runOnly: rules, resultTypes: ["violations"] };
  const violations = await page.evaluate(
    `axe.run(${elements}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  ) as Violation[];
  return violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`
  );
}

/** Script that reads everything that a contrast depends on, with the first element that has it. */
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
  globalThis.contrasts = new Map();
  for (const element of document.body.querySelectorAll("*")) {
    const isText = element.matches("input, textarea") ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!isText) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const contrast = [color, fontSize, fontWeight, groundOf(element)].join(" ");
    if (!contrasts.has(contrast)) contrasts.set(contrast, element);
  }
  return [...contrasts.keys()];
})()`;

/**
 * Has axe look at the contrasts of a page that no page before it has had, and adds them to those: pages of one design
 * repeat them.
 *
 * @returns What is too hard to read, or null when the page has no new contrast.
 */
export async function findNewContrasts(page: Page, known: Set<string>): Promise<string[] | null> {
  const all = await page.evaluate(CONTRASTS) as string[];
  const found = all.filter((contrast) => !known.has(contrast));
  if (found.length === 0) return null;
  for (const contrast of found) known.add(contrast);
  const elements = `${JSON.stringify(found)}.map((contrast) => contrasts.get(contrast))`;
  return await findMistakes(page, [CONTRAST], elements);
}

/** Script that reads the kinds of elements, as far as rules other than those of colours tell them apart. */
const KINDS = `(() => {
  const named = ["class", "role", "type"];
  const referring = ["for", "aria-controls", "aria-describedby", "aria-labelledby"];
  const kindOf = (element) => [
    element.tagName,
    ...[...element.attributes].map(({ name, value }) =>
      named.includes(name) ? name + "=" + value
        : referring.includes(name) ? name + "=" + value.split(" ").every((id) => document.getElementById(id))
        : value.trim() === "" ? name + "=" : name),
    ...[...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ? ["text"] : [],
  ].join(" ");
  const elements = [...document.body.querySelectorAll(":not(pre *)")];
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => tagName);
  return [...new Set([
    ...headings.map((name, index) => name + " after " + headings[index - 1]),
    ...elements.map((element) => kindOf(element.parentElement) + " > " + kindOf(element)),
  ])];
})()`;

/**
 * Adds the kinds of a page's elements to those of the pages before it. Axe finds the same in elements of one kind, and
 * pages that one program writes repeat them.
 *
 * @returns True when the page has one that no page before it has had.
 */
export async function learnKinds(page: Page, known: Set<string>): Promise<boolean> {
  const before = known.size;
  for (const kind of await page.evaluate(KINDS) as string[]) known.add(kind);
  return known.size > before;
}
