// In this order: each of these calls itself by the names of those below, too.
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
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

function find(list: readonly [string, RegExp][], text: string): string | undefined {
  return list.find(([, pattern]) => pattern.test(text))?.[0];
}

/** What a browser called itself, in words that its owner recognises. */
export function describeBrowser(userAgent: string | null): string {
  const text = userAgent ?? "";
  const words = [find(BROWSERS, text), find(SYSTEMS, text)].filter((word) => word !== undefined);
  return words.length === 0 ? "Unknown browser" : words.join(", ");
}
