/**
 * Names of browsers and systems for people, by the User-Agent.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { say } from "./frame.ts";

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

function find(list: readonly [string, RegExp][], text: string): string | undefined {
  return list.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Recognizable name of a browser by its User-Agent; null when there is none. */
export function nameBrowser(userAgent: string | null): string | null {
  const text = userAgent ?? "";
  const words = [find(BROWSERS, text), find(SYSTEMS, text)].filter((word) => word !== undefined);
  return words.length === 0 ? null : words.join(", ");
}

/** The name of a browser in the language of the page, with words for one that is not known. */
export function describeDevice(look: Look, name: string | null): string {
  const [browser, system] = name?.split(", ") ?? [];
  if (browser === undefined) return say(look, "Unknown browser").markup;
  if (system === undefined) return browser;
  // Names of the two lists above: nothing in them is to be escaped.
  return say(look, "{browser} on {system}", { browser, system }).markup;
}
