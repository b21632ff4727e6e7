import { escapeHtml } from "../lib/html.ts";

/**
 * Languages of the pages.
 *
 * @module
 */

/** Texts of the pages in another language, by the English text. In a pattern `{name}` stands for anything. */
export type PageMessages = Readonly<Record<string, string>>;

/** Translates a text; null for one that is not known. */
export type Translate = (text: string) => string | null;

const PLACE = /\{(\w+)\}/g;

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A text with places in it as what recognises it. */
function patternOf(text: string): RegExp {
  const parts = text.split(PLACE);
  const source = parts.map((part, index) =>
    index % 2 === 0 ? escapePattern(part) : `(?<${part}>.+)`
  );
  return new RegExp(`^${source.join("")}$`, "s");
}

/** Makes what translates texts by a table. */
export function createTranslate(messages: PageMessages): Translate {
  const entries = Object.entries(messages);
  const exact = new Map(entries);
  const patterns = entries
    .filter(([text]) => text.search(PLACE) >= 0)
    .map(([text, translation]) => ({ pattern: patternOf(text), translation }));
  return (text) => {
    const known = exact.get(text);
    if (known !== undefined) return known;
    for (const { pattern, translation } of patterns) {
      const found = pattern.exec(text)?.groups;
      if (found !== undefined) return translation.replace(PLACE, (_, name) => found[name] ?? "");
    }
    return null;
  };
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function unescapeHtml(markup: string): string {
  return markup.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);
}

function translateText(markup: string, translate: Translate): string {
  const [, before, text, after] = /^(\s*)(.*?)(\s*)$/s.exec(markup)!;
  if (text === "") return markup;
  const translation = translate(unescapeHtml(text!));
  return translation === null ? markup : before + escapeHtml(translation) + after;
}

/**
 * Translates the texts of a page that the library has written: everything in it is escaped, so a tag is what
 * stands between angle brackets, and what comes from a visitor is at most taken for a text of the page.
 */
export function translatePage(document: string, translate: Translate): string {
  let raw = false;
  return document.split(/(<[^>]*>)/).map((part, index) => {
    if (index % 2 === 0) return raw ? part : translateText(part, translate);
    raw = /^<(?:style|script)\b/.test(part);
    return part.replace(
      / (placeholder|alt|aria-label)="([^"]*)"/g,
      (_, name, value) => ` ${name}="${translateText(value, translate)}"`,
    );
  }).join("");
}

/** A language that a visitor understands, and how well. */
interface Preference {
  tag: string;
  weight: number;
}

// More languages than any browser names; what follows is not read.
const MAX_PREFERENCES = 32;

function readPreferences(header: string): Preference[] {
  return header.split(",", MAX_PREFERENCES).map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  }).filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
}

/**
 * The language that a visitor would rather read (RFC 4647, 3.4: a language without its region stands in for
 * the one with it).
 *
 * @param header Accept-Language.
 * @param languages What there is.
 * @returns The first of them when the visitor named none that there is.
 */
export function pickLanguage(header: string | null, languages: readonly string[]): string {
  for (const { tag } of readPreferences(header ?? "")) {
    const parts = tag.split("-");
    for (let length = parts.length; length > 0; length--) {
      const wanted = parts.slice(0, length).join("-");
      const found = languages.find((language) => language.toLowerCase() === wanted);
      if (found !== undefined) return found;
    }
  }
  return languages[0]!;
}
