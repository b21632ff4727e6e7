/// <reference lib="dom" />
/**
 * The script of the documentation's search page: finds what the address asks for, and what is typed.
 *
 * @module
 */

import MiniSearch, { type Options } from "minisearch";

/** A part of a page: the text under a heading. */
export interface SearchPart {
  /** Address of the heading, from the search page. */
  id: string;
  /** The heading. */
  title: string;
  /** Title of the page. */
  page: string;
  text: string;
}

/** Options of the search: by prefixes of words, with small mistakes, headings first. */
export const searchOptions: Options<SearchPart> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page"],
  searchOptions: { boost: { title: 4, page: 2 }, combineWith: "AND", fuzzy: 0.2, prefix: true },
};

/** Shows results on the page. Their texts are set as text: none becomes HTML. */
export function showSearch(index: string): void {
  const found = MiniSearch.loadJSON<SearchPart>(index, searchOptions);
  const input = document.querySelector<HTMLInputElement>("#words")!;
  const count = document.querySelector("#count")!;
  const list = document.querySelector("#results")!;
  const show = () => {
    const words = input.value.trim();
    const results = words === "" ? [] : found.search(words).slice(0, 30);
    count.textContent = words === ""
      ? ""
      : `${results.length === 30 ? "The best 30" : results.length} results for “${words}”`;
    list.replaceChildren(...results.map(({ id, title, page }) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = id;
      link.textContent = title;
      if (page !== title) item.append(` · ${page}`);
      return item;
    }));
  };
  input.addEventListener("input", show);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  show();
}
