/// <reference lib="dom" />
/**
 * The script of the documentation's search page: finds what the address asks for, and what is typed.
 *
 * @module
 */

import MiniSearch, { type Options, type SearchResult } from "minisearch";

/** A part of a page: the text under a heading. */
export interface SearchPart {
  /** Address of the heading, from the search page. */
  id: string;
  /** The heading. */
  title: string;
  /** Title of the page. */
  page: string;
  text: string;
  /** Beginning of the text. */
  excerpt: string;
}

/** Words of questions and sentences that are on every page. */
const COMMON = new Set(
  ("a about all an and any are as at be been being but by can could did do does for from get gets had has have " +
    "how i if in into is it its make makes may me mean means my need needs no not of on or our should so " +
    "somebody someone that the their them then there they this to us use was we were what when where which who " +
    "why will with would you your").split(" "),
);

/** Words for what the documents call by another one. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["2fa", "factor"],
  ["mfa", "factor"],
  ["administrator", "admin"],
  ["administrators", "admin"],
  ["email", "mail"],
  ["emails", "mail"],
  ["mails", "mail"],
  ["login", "sign"],
  ["logout", "sign"],
  ["organization", "team"],
  ["organizations", "team"],
  ["throttle", "limit"],
  ["webauthn", "passkey"],
]);

/** A word as the index has it, in texts and in what is asked; null for one that says nothing. */
function normalize(term: string): string | null {
  const word = term.toLowerCase();
  return word.length < 2 || COMMON.has(word) ? null : SYNONYMS.get(word) ?? word;
}

/** Options of the search: by prefixes of words, with small mistakes, headings first. */
export const searchOptions: Options<SearchPart> = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "excerpt"],
  processTerm: normalize,
  searchOptions: {
    boost: { title: 4, page: 2 },
    combineWith: "OR",
    fuzzy: (term) => term.length > 4 ? 0.2 : false,
    prefix: (term) => term.length > 2,
    weights: { fuzzy: 0.2, prefix: 0.5 },
    // What changed once is seldom what somebody looks for.
    boostDocument: (id) => /^(?:changelog|contributing)\b/.test(String(id)) ? 0.1 : 1,
  },
};

function isSymbol(id: string): boolean {
  return id.startsWith("reference/");
}

/**
 * Finds sections by words or by a question: those that have most of the words, and say the least besides, come first.
 *
 * @param index The index.
 * @param words What was typed.
 */
export function findSections(index: MiniSearch<SearchPart>, words: string): SearchResult[] {
  const typed = words.split(/[\n\r\p{Z}\p{P}]+/u);
  const asked = new Set(typed.map(normalize).filter((word) => word));
  const names = new Set(typed);
  return index.search(words)
    // A symbol is for whoever types its name.
    .filter(({ id, title }) => !isSymbol(id) || names.has(title))
    .map((found) => ({ ...found, part: new Set(found.queryTerms).size / asked.size }))
    .filter(({ part }) => part >= 0.5)
    .map((found) => ({ ...found, score: found.score * found.part ** 2 }))
    .sort((one, other) => other.score - one.score);
}

/** Results that are shown. */
const most = 20;

/** Shows results on the page. Their texts are set as text: none becomes HTML. */
export function showSearch(index: string): void {
  const found = MiniSearch.loadJSON<SearchPart>(index, searchOptions);
  const input = document.querySelector<HTMLInputElement>("#words")!;
  const count = document.querySelector("#count")!;
  const list = document.querySelector("#results")!;
  const show = () => {
    const words = input.value.trim();
    const results = words === "" ? [] : findSections(found, words).slice(0, most);
    count.textContent = words === ""
      ? ""
      : results.length === 0
      ? `Nothing was found for “${words}”. Try one or two words, or look at the contents.`
      : `${results.length === most ? `The best ${most}` : results.length} results for “${words}”`;
    list.replaceChildren(...results.map(({ id, title, page, excerpt }) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = id;
      link.textContent = title;
      if (page !== title) item.append(` · ${page}`);
      const start = item.appendChild(document.createElement("p"));
      start.textContent = excerpt;
      return item;
    }));
  };
  input.addEventListener("input", show);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  show();
}
