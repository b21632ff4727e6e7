// In this order: each of these calls itself by the names of those below, too.
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /(?:\b|Headless)Chrome\/|\bCriOS\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** A browser of which nothing is known. */
export const UNKNOWN_BROWSER: string = "Unknown browser";

function find(list: readonly [string, RegExp][], text: string): string | undefined {
  return list.find(([, pattern]) => pattern.test(text))?.[0];
}

/** What a browser called itself, in words that its owner recognises; null for nothing of the kind. */
export function nameBrowser(userAgent: string | null): string | null {
  const text = userAgent ?? "";
  const words = [find(BROWSERS, text), find(SYSTEMS, text)].filter((word) => word !== undefined);
  return words.length === 0 ? null : words.join(", ");
}

/** As {@linkcode nameBrowser}, with words for one that is not known. */
export function describeBrowser(userAgent: string | null): string {
  return nameBrowser(userAgent) ?? UNKNOWN_BROWSER;
}
