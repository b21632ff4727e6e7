/**
 * Languages of the pages, and which of them a visitor reads.
 *
 * @module
 */

import type { PageText } from "./texts.ts";

/** A language of the built-in pages and mails: data, so that a bundle has those that it imports. */
export interface PageLanguage {
  /** Tag of the language (BCP 47), such as "de" or "pt-BR". */
  tag: string;
  /** Direction of its script. Default "ltr". */
  direction?: "ltr" | "rtl";
  /** Its texts, by the English ones. `{app}` and the like stay as they are, wherever they stand in the sentence. */
  texts: Readonly<Record<PageText, string>>;
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
