/**
 * Text that can be stored, and markup that is escaped.
 *
 * @module
 */

/**
 * Whether a text can be stored and shown as it is: not longer than this, with no control characters and no
 * unpaired surrogates. Databases refuse or change those (PostgreSQL takes no NUL, UTF-8 has no lone surrogates),
 * and a name of a megabyte is read with every page that lists people.
 *
 * @param max How many UTF-16 code units it may have.
 */
export function isStorable(text: string, max: number): boolean {
  // No \p{Cc}: its set would be made when the program is read, which a worker starts with.
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/;
  return text.length <= max && text.isWellFormed() && !control.test(text);
}

/** Longest beginning of a text that can be stored, without what {@linkcode isStorable} refuses. */
export function storablePart(text: string, max: number): string {
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  const control = /[\0-\x1f\x7f-\x9f]/g;
  // Half of a pair at the end would be an unpaired one.
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, "").toWellFormed().replace(control, "");
}

/** Maximum length of a name, in UTF-16 code units. */
export const MAX_NAME = 256;

const MAX_IMAGE = 2048;

/** Tests for a picture URL that is safe in other people's browsers: https, so nothing that runs. */
export function isImage(text: string): boolean {
  if (!isStorable(text, MAX_IMAGE) || !/^https:\/\//i.test(text)) return false;
  return URL.canParse(text) && new URL(text).username === "";
}

/** Markup that is safe to put into a page: all text in it has been escaped. */
export interface Html {
  /** The markup. */
  readonly markup: string;
}

/** Values that a template accepts: text, which is escaped, markup, lists of these, or nothing. */
export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | false;

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for element content and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

function render(value: HtmlValue): string {
  if (value === null || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  if ("markup" in value) return value.markup;
  return value.map(render).join("");
}

/** A template whose every place is escaped. Attribute values must stand in quotes. */
export function markup(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0]!;
  for (const [index, value] of values.entries()) text += render(value) + parts[index + 1]!;
  return { markup: text };
}
