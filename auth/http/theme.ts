import { readMade } from "../config/check.ts";
import type { Theme } from "./contracts.ts";

/**
 * The built-in pages with their looks: `defaultTheme`, or what `pageTheme()` returns. What does not import one
 * carries no page.
 */
export interface PageTheme {
  /** Tells a theme from other objects. */
  readonly kind: "page-theme";
  /** What it is made of, for the library. */
  readonly definition: unknown;
}

/** Checks `pages.theme`. */
export function readTheme(value: unknown): Theme | null {
  const write = "defaultTheme, or pageTheme({ … })";
  const made = readMade<PageTheme>(value, "pages.theme", { kind: "page-theme", write });
  return made && made.definition as Theme;
}
