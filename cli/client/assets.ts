/** Addresses of the browser's files, by the application's file, such as `app/page.tsx`. */
export interface AppAssets {
  /** For a client file, its script followed by the scripts that it imports. */
  scripts: Record<string, string[]>;
  /** For a page, layout or error page, the stylesheets that it and its components import. */
  styles: Record<string, string[]>;
}

/** Folder of the addresses of built scripts and stylesheets. */
export const assetsFolder = "/_framework";

/** Name of the script of marked forms among the client files. */
export const formScript = "@framework/cli/form";

/**
 * Header of a form that a script sends: redirects are for the script to follow, and a refusal is answered with the page
 * or with its fields.
 */
export const formHeader = "x-framework-form";

/** Returns a file's name among the built scripts and stylesheets, without extension and fingerprint. */
export function assetName(file: string): string {
  return file.replace(/\.\w+$/, "").split(/[^A-Za-z0-9]+/).filter((part) => part !== "").join("-");
}

/** Whitespace, comments and other directives, which may precede it. */
const before =
  /(?:\s+|\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/|(?:"(?!use client")[^"\\\n]*"|'(?!use client')[^'\\\n]*')\s*(?:;|\n))/y;
const directive = /(?:"use client"|'use client')\s*(?:;|\n|$)/y;

/**
 * Detects the `"use client"` directive at the top of a file.
 *
 * @param source Text of the file.
 */
export function hasClientDirective(source: string): boolean {
  let at = source.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    before.lastIndex = at;
    if (!before.test(source)) break;
    at = before.lastIndex;
  }
  directive.lastIndex = at;
  return directive.test(source);
}
