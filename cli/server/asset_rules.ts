import { typeOf } from "./assets.ts";
import { createRule, type HeaderRules, parseHeaderRules } from "./header_rules.ts";
import { type IgnoreRules, parseIgnoreRules } from "./ignore_rules.ts";

/** Rules of the platform about static files: what `_headers`, `.assetsignore` and names of files mean. */
export interface AssetRules {
  /** Reads a `_headers` file. */
  parseHeaderRules(text: string): HeaderRules;
  /** Reads an `.assetsignore` file. */
  parseIgnoreRules(text: string): IgnoreRules;
  /** Returns the media type of a file by its name; null for one that is not known. */
  typeOf(file: string): string | null;
  /**
   * Reads a path with `*` and `:name`, as `_headers` and `_redirects` have it: returns what they stand for in an
   * address, or null for one that the path does not cover. Null for a path that the platform refuses.
   */
  readPattern(path: string): ((url: URL) => Record<string, string> | null) | null;
}

/**
 * The rules that the static files of a server and the double of the test kit have in common.
 *
 * @example
 * ```ts
 * import { assetRules } from "@framework/cli/testing";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * equal(assetRules.typeOf("/app.css"), "text/css; charset=utf-8");
 * const match = assetRules.readPattern("/blog/:slug");
 * deepEqual(match?.(new URL("http://localhost/blog/first")), { slug: "first" });
 * ```
 */
export const assetRules: AssetRules = {
  parseHeaderRules,
  parseIgnoreRules,
  typeOf,
  readPattern: (path) => createRule(path, 0)?.match ?? null,
};
