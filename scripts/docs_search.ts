/**
 * The search of the documentation: an index that is made with the pages, and asked in the browser.
 *
 * @module
 */

import * as esbuild from "esbuild";
import MiniSearch from "minisearch";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { searchOptions, type SearchPart } from "./docs_search_browser.ts";
import type { Rendered } from "./markdown.ts";

/** The content of the search page. The index is in its script, because a page that is a file cannot fetch one. */
export const searchPage: string = `<h1>Search</h1>
<form role="search">
<label for="words">Words</label>
<input id="words" name="q" type="search" autocomplete="off">
<button>Search</button>
</form>
<noscript><p>The search needs JavaScript. The contents of this page list every document.</p></noscript>
<p id="count" aria-live="polite"></p>
<ul id="results"></ul>
<script src="search.js"></script>`;

/** Sections of a page as the search has them. */
export function partsOf(
  { page, name }: { page: string; name?: string },
  content: Rendered,
): SearchPart[] {
  // The parts of a code's page are one answer.
  const isCode = page.startsWith("errors/");
  const [first] = content.parts;
  const parts = isCode && first !== undefined
    ? [{ ...first, text: content.parts.map(({ text }) => text).join(" ") }]
    : content.parts;
  return parts.map(({ anchor, title, text }) => ({
    id: `${page}#${anchor}`,
    page: name ?? content.title,
    title,
    text,
    excerpt: text.length > 150 ? text.slice(0, 150).replace(/ \S*$/, " …") : text,
  }));
}

/**
 * Pages of the reference as the search has them: each symbol once, by the first entry that exports it.
 *
 * @param reference Paths of the reference's pages below its folder.
 * @param entries Names of the entries by their files.
 */
export function symbolParts(
  reference: ReadonlySet<string>,
  entries: ReadonlyMap<string, string>,
): SearchPart[] {
  const parts = new Map<string, SearchPart>();
  for (const [file, page] of entries) {
    for (const path of reference) {
      const [, of, title] = /^(.+)\/~\/(\w+)\.html$/.exec(path) ?? [];
      if (of !== file || title === undefined || parts.has(title)) continue;
      parts.set(title, { id: `reference/${path}`, page, title, text: "", excerpt: "" });
    }
  }
  return [...parts.values()];
}

/** Makes the index of these parts. */
export function indexParts(parts: SearchPart[]): MiniSearch<SearchPart> {
  const search = new MiniSearch(searchOptions);
  search.addAll(parts);
  return search;
}

/** Bundles the search page's script with the index of these parts. */
export async function buildSearch(parts: SearchPart[]): Promise<string> {
  const index = JSON.stringify(JSON.stringify(indexParts(parts)));
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: `import { showSearch } from "./docs_search_browser.ts";\nshowSearch(${index});`,
      resolveDir: dirname(fileURLToPath(import.meta.url)),
    },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    write: false,
  });
  await esbuild.stop();
  return outputFiles[0]!.text;
}
