/**
 * Themes of the pages.
 *
 * @module
 */

import type { Theme } from "../core/contracts.ts";
import { PAGE_STYLE_HASH } from "../core/page.ts";
import { isOwnPath, type PageTheme } from "../core/url_options.ts";
import { encodeText, toBase64 } from "../lib/encoding.ts";
import { escapeHtml } from "../lib/html.ts";
import { checkKeys, isOptions, optionsAt, tableAt, wrongOption } from "../lib/options.ts";
import {
  createTranslate,
  type PageMessages,
  pickLanguage,
  type Translate,
  translatePage,
} from "./language.ts";
import { DEFAULT_PAGES } from "./pages.ts";

/** Options for `pageTheme()`: appearance and texts of the built-in pages. */
export interface PageThemeOptions {
  /** Name of the application, above the heading and in the title. */
  name?: string;
  /** Path of the application's logo, shown next to its name. Default: none. */
  logo?: string;
  /** Colours. Default: those of the platform, and a blue. */
  colors?: PageColors;
  /**
   * The texts by language, such as "de". The visitor's browser says which; English is always there. What is left
   * out stays English.
   */
  messages?: Readonly<Record<string, PageMessages>>;
  /** The language of visitors who want none that there is. Default "en". */
  language?: string;
}

const BRAND_STYLE =
  ".brand{display:flex;gap:.5rem;align-items:center;font-weight:600}.brand img{height:2rem}";

function readName(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw wrongOption("pageTheme.name", value, "the name of the application");
}

function readLogo(value: unknown): string | null {
  if (value === undefined) return null;
  if (isOwnPath(value)) return value;
  throw wrongOption("pageTheme.logo", value, 'a path of this application such as "/logo.svg"');
}

function readMessages(value: unknown): Map<string, Translate> {
  const languages = new Map<string, Translate>();
  for (const [language, messages] of Object.entries(tableAt(value, "pageTheme.messages"))) {
    const field = `pageTheme.messages.${language}`;
    if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language) || !isOptions(messages)) {
      throw wrongOption(
        field,
        messages,
        'texts by language, such as { de: { "Sign in": "Anmelden" } }',
      );
    }
    for (const [text, translation] of Object.entries(messages)) {
      if (typeof translation !== "string") {
        throw wrongOption(`${field}["${text}"]`, translation, "a text");
      }
    }
    languages.set(language, createTranslate(messages as PageMessages));
  }
  return languages;
}

function readLanguage(value: unknown, languages: ReadonlyMap<string, Translate>): string {
  if (value === undefined || value === "en") return "en";
  if (typeof value === "string" && languages.has(value)) return value;
  throw wrongOption("pageTheme.language", value, 'one of the languages of `messages`, or "en"');
}

/** Source expression for a stylesheet in the Content-Security-Policy (CSP 3, 2.3.1). */
async function sourceOf(style: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encodeText(style));
  return `'sha256-${toBase64(new Uint8Array(digest))}'`;
}

/**
 * Creates a theme for `pages.theme` with the appearance and texts of the built-in pages.
 * Applications that do not import it do not bundle it.
 *
 * @param options The application's name, logo, colours, and its texts by language.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, pageTheme } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   pages: {
 *     theme: pageTheme({
 *       name: "Example",
 *       logo: "/logo.svg",
 *       colors: { accent: { light: "#0b6b4f", dark: "#5fd3ae" } },
 *       messages: { de: { "Sign in": "Anmelden", "Sign in with {name}": "Mit {name} anmelden" } },
 *     }),
 *   },
 * });
 * const request = new Request("http://localhost/auth/signin", { headers: { "accept-language": "de" } });
 * const response = await auth.handle(request, {});
 * match(await response!.text(), /<title>Anmelden · Example<\/title>/);
 * ```
 */
export function pageTheme(options: PageThemeOptions): PageTheme {
  const given: unknown = options;
  if (!isOptions(given)) throw wrongOption("pageTheme()", given, "an object");
  checkKeys(given, ["name", "logo", "colors", "messages", "language"], "pageTheme");
  const name = readName(given.name);
  const logo = readLogo(given.logo);
  const languages = readMessages(given.messages);
  const fallback = readLanguage(given.language, languages);
  const known = [...new Set([fallback, "en", ...languages.keys()])];
  const picture = logo !== null && `<img src="${escapeHtml(logo)}" alt="">`;
  const branded = name !== null || logo !== null;
  const brand = branded ? `<p class="brand">${picture || ""}${escapeHtml(name ?? "")}</p>\n` : "";
  const style = themeStyle(given.colors) + (branded ? BRAND_STYLE : "");
  let source: string | undefined;

  async function policyOf(policy: string): Promise<string> {
    source ??= await sourceOf(style);
    const styled = policy.replace(`'${PAGE_STYLE_HASH}'`, `'${PAGE_STYLE_HASH}' ${source}`);
    return logo === null ? styled : `${styled}; img-src 'self'`;
  }

  function dress(document: string, language: string): string {
    const translate = languages.get(language);
    const text = translate === undefined ? document : translatePage(document, translate);
    return text
      .replace('<html lang="en">', () => `<html lang="${language}">`)
      .replace("</title>", () => `${name === null ? "" : ` · ${escapeHtml(name)}`}</title>`)
      .replace("</style>", () => `</style>\n<style>${style}</style>`)
      .replace("<main>\n", () => `<main>\n${brand}`);
  }

  async function dressPage(response: Response, request: Request): Promise<Response> {
    const policy = response.headers.get("content-security-policy");
    // Only the library's own pages have its stylesheet.
    if (!policy?.includes(PAGE_STYLE_HASH)) return response;
    const language = pickLanguage(request.headers.get("accept-language"), known);
    const themed = new Response(dress(await response.text(), language), response);
    themed.headers.set("content-security-policy", await policyOf(policy));
    if (known.length > 1) themed.headers.append("vary", "Accept-Language");
    return themed;
  }

  const definition: Theme = { ...DEFAULT_PAGES, dress: dressPage };
  return { kind: "page-theme", definition };
}

/** A colour of CSS, or one for light and one for dark. */
export type PageColor = string | { light: string; dark: string };

/** The colours of the pages. Text on what it stands on needs a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3). */
export interface PageColors {
  /** Buttons, links and the ring around what has the focus. */
  accent?: PageColor;
  /** Text on buttons, which stands on `accent`. */
  onAccent?: PageColor;
  /** Background of the page behind the card. */
  ground?: PageColor;
  /** The card in which forms and texts stand. */
  card?: PageColor;
  /** Text, which stands on `card`. */
  text?: PageColor;
  /** Less important text, and the borders of fields. */
  quiet?: PageColor;
  /** The sentence that says what went wrong, on `card`. */
  bad?: PageColor;
}

/** Of which rule each colour is. The first three are variables of the library's own stylesheet. */
const RULES: Record<keyof PageColors, (color: string) => string> = {
  accent: (color) => `:root{--accent:${color}}`,
  quiet: (color) => `:root{--quiet:${color}}`,
  bad: (color) => `:root{--bad:${color}}`,
  onAccent: (color) => `button{color:${color}}`,
  ground: (color) => `body{background:${color}}`,
  card: (color) => `main{background:${color}}`,
  text: (color) => `main{color:${color}}`,
};

/** Nothing that could end a declaration, or the stylesheet, or load anything. */
function readColor(value: unknown, field: string): string {
  if (typeof value === "string" && /^(?!.*url\()[#a-z0-9(),.%\s/+-]{1,100}$/i.test(value)) {
    return value;
  }
  throw wrongOption(
    field,
    value,
    'a colour of CSS such as "#0a7" or { light: "#0a7", dark: "#4fc" }',
  );
}

/** Checks the colours and makes a stylesheet of them. */
function themeStyle(value: unknown): string {
  const colors = optionsAt(value, "pageTheme.colors", Object.keys(RULES));
  let style = "";
  for (const [name, color] of Object.entries(colors)) {
    if (color === undefined) continue;
    const field = `pageTheme.colors.${name}`;
    if (typeof color === "object" && color !== null) {
      const { light, dark } = color as { light?: unknown; dark?: unknown };
      const pair = `light-dark(${readColor(light, `${field}.light`)},${
        readColor(dark, `${field}.dark`)
      })`;
      style += RULES[name as keyof PageColors](pair);
    } else style += RULES[name as keyof PageColors](readColor(color, field));
  }
  return style;
}
