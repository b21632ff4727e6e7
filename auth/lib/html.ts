/**
 * Markup that is escaped.
 *
 * @module
 */

/** Markup that is safe to put into a page: all text in it has been escaped. */
export interface Html {
  /** The markup. */
  readonly markup: string;
}

/** Values that a template accepts: text, which is escaped, markup, lists of these, or nothing. */
export type HtmlValue =
  | string
  | number
  | Html
  | readonly HtmlValue[]
  | null
  | undefined
  | false;

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
  if (value === null || value === undefined || value === false) return "";
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
