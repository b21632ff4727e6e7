/**
 * Themes of the pages: what an application sets, checked, and what is made of it for a visitor.
 *
 * @module
 */

import { isOwnPath } from "../core/url_options.ts";
import type { HexColor, Look } from "../core/contracts.ts";
import { ConfigurationError } from "../errors.ts";
import { encodeText, toBase64 } from "../lib/encoding.ts";
import { checkKeys, isOptions, optionsAt, tableAt, wrongOption } from "../lib/options.ts";
import {
  type Accents,
  contrast,
  type Neutrals,
  neutralsOf,
  parseHex,
  type Scheme,
  schemeOf,
} from "./color.ts";
import { DEFAULT_LOOK, THEME_SOURCE } from "./frame.ts";
import { type PageLanguage, pickLanguage } from "./language.ts";
import type { PageText } from "./texts.ts";

/** A colour for both schemes, or one for light and one for dark, in hexadecimal digits such as "#3355e0". */
export type PageColor = string | { light: string; dark: string };

/**
 * The colours of the pages, in hexadecimal digits: what is made of them is computed, so that every text has a contrast
 * of 4.5 to 1 and every border of a field 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
 */
export interface PageColors {
  /** Buttons, links, and the ring around what has the focus. Text on it is black or white. Default: a blue. */
  brand?: PageColor;
  /** Background of the page behind the card. */
  ground?: PageColor;
  /** The card in which forms and texts stand. */
  card?: PageColor;
  /** Text, which needs 7 to 1 on `card` and `ground`: less important text and tints are made of the three. */
  text?: PageColor;
  /** The sentence that says what went wrong. Default: a red. */
  bad?: PageColor;
  /** The sentence that says what was done. Default: a green. */
  good?: PageColor;
}

/** Paths or addresses of documents, linked below every page. */
export interface PageLinks {
  /** Terms of use, to which people agree who create an account. */
  terms?: string;
  /** Privacy policy. */
  privacy?: string;
  /** Help. */
  help?: string;
}

/** Options for `pageTheme()`: appearance, texts and languages of the built-in pages and mails. */
export interface PageThemeOptions {
  /** Name of the application, in headings, titles and mails. Default: none is said. */
  name?: string;
  /** Path of the application's logo, or one for light and one for dark. Default: the first letter of the name. */
  logo?: string | { light: string; dark: string };
  /** Colours. Default: those of the library, in light and in dark. */
  colors?: PageColors;
  /** Radius of buttons and fields, in pixels from 0 to 24; the card has twice as much. Default 10. */
  radius?: number;
  /** Names of fonts that visitors have, such as "Inter, system-ui, sans-serif". Default: the platform's. */
  font?: string;
  /** Documents to link to. Default: none. */
  links?: PageLinks;
  /** Languages of `@framework/auth/languages`, or your own. English is always there. Default: English alone. */
  languages?: readonly PageLanguage[];
  /** Texts of your own in place of the library's, by language and English text. Default: none. */
  texts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * The language of visitors who want none that there is, or a function that chooses by the request; what it does not
   * know is chosen by the visitor's browser. Default "en".
   */
  language?: string | ((request: Request) => string | null | undefined);
}

const KEYS = [
  "name",
  "logo",
  "colors",
  "radius",
  "font",
  "links",
  "languages",
  "texts",
  "language",
];

/** The colours of the library in one scheme. */
interface Defaults {
  accents: Accents;
  neutrals: Neutrals;
}

/** The colours of the light scheme. */
export const LIGHT: Defaults = {
  accents: { brand: "#3355e0", bad: "#b3212d", good: "#126a42" },
  neutrals: {
    ground: "#f5f6f8",
    card: "#ffffff",
    text: "#14171c",
    quiet: "#59616e",
    soft: "#f2f4f7",
    line: "#e3e6eb",
    rim: "#d0d5dd",
    edge: "#838b98",
  },
};

/** Those of the dark one. */
export const DARK: Defaults = {
  accents: { brand: "#3355e0", bad: "#ff9d9d", good: "#74d9a8" },
  neutrals: {
    ground: "#0c0e11",
    card: "#15181d",
    text: "#eceef1",
    quiet: "#a2aab6",
    soft: "#1f232a",
    line: "#2a2f37",
    rim: "#3b424d",
    edge: "#6f7887",
  },
};

const ACCENTS = ["brand", "bad", "good"] as const;
const NEUTRALS = ["ground", "card", "text"] as const;

function readName(value: unknown): string | null {
  if (value === undefined) return null;
  // deno-lint-ignore no-control-regex -- controls are what is looked for
  if (typeof value === "string" && value.trim() !== "" && !/[\x00-\x1f\x7f]/.test(value)) {
    return value;
  }
  throw wrongOption("pageTheme.name", value, "the name of the application");
}

function readPath(value: unknown, field: string): string {
  // A comma or a blank would end the address in a list of pictures.
  if (isOwnPath(value) && !/[,\s]/.test(value)) return value;
  throw wrongOption(field, value, 'a path of this application such as "/logo.svg"');
}

function readLogo(value: unknown): Look["logo"] {
  if (value === undefined) return null;
  if (!isOptions(value)) {
    const path = readPath(value, "pageTheme.logo");
    return { light: path, dark: path };
  }
  checkKeys(value, ["light", "dark"], "pageTheme.logo");
  return {
    light: readPath(value.light, "pageTheme.logo.light"),
    dark: readPath(value.dark, "pageTheme.logo.dark"),
  };
}

function readColor(value: unknown, field: string): HexColor {
  if (typeof value === "string" && parseHex(value) !== null) return value as HexColor;
  throw wrongOption(
    field,
    value,
    'a colour in hexadecimal digits such as "#0b6b4f": what is readable on it is computed, so names and functions of ' +
      "CSS are not taken",
  );
}

/** Contrast of text on the card. More than 4.5 to 1, which it then still has on tints of the card. */
const TEXT_CONTRAST = 7;

/** Refuses a text that cannot be read, and says what was measured. */
function demandContrast({ text, card, ground }: Neutrals, scheme: string): void {
  for (const [name, color] of [["card", card], ["ground", ground]] as const) {
    const measured = contrast(text, color);
    if (measured >= TEXT_CONTRAST) continue;
    throw new ConfigurationError(
      `Wrong option "pageTheme.colors.text": ${text} on the ${name} ${color} has a contrast of ${
        measured.toFixed(2)
      } to 1 in the ${scheme} scheme; text needs ${TEXT_CONTRAST} to 1`,
      { field: "pageTheme.colors.text" },
    );
  }
}

type GivenColor = (name: keyof PageColors) => HexColor | undefined;

function readScheme(
  { accents, neutrals }: Defaults,
  given: GivenColor,
  isDark: boolean,
): Scheme {
  const own = NEUTRALS.map((name) => [name, given(name) ?? neutrals[name]] as const);
  const base = Object.fromEntries(own) as unknown as Neutrals;
  demandContrast(base, isDark ? "dark" : "light");
  const isOwn = NEUTRALS.some((name) => given(name) !== undefined);
  const meant = ACCENTS.map((name) => [name, given(name) ?? accents[name]] as const);
  return schemeOf(
    Object.fromEntries(meant) as unknown as Accents,
    isOwn ? neutralsOf(base, isDark) : neutrals,
    isDark,
  );
}

function readColors(value: unknown): { light: Scheme; dark: Scheme } {
  const given = optionsAt(value, "pageTheme.colors", [...ACCENTS, ...NEUTRALS]);
  const colorOf = (scheme: "light" | "dark"): GivenColor => (name) => {
    const color = given[name];
    const field = `pageTheme.colors.${name}`;
    if (color === undefined) return undefined;
    if (!isOptions(color)) return readColor(color, field);
    checkKeys(color, ["light", "dark"], field);
    return readColor(color[scheme], `${field}.${scheme}`);
  };
  return {
    light: readScheme(LIGHT, colorOf("light"), false),
    dark: readScheme(DARK, colorOf("dark"), true),
  };
}

function readRadius(value: unknown): number | null {
  if (value === undefined) return null;
  if (typeof value === "number" && value >= 0 && value <= 24) return value;
  throw wrongOption("pageTheme.radius", value, "a number of pixels from 0 to 24");
}

/** Nothing that could end a declaration, or the stylesheet, or load anything. */
function readFont(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === "string" && /^[\p{L}\d _,"'-]{1,200}$/u.test(value)) {
    const quotes = [`"`, `'`].map((mark) => value.split(mark).length - 1);
    if (quotes.every((count) => count % 2 === 0)) return value;
  }
  throw wrongOption(
    "pageTheme.font",
    value,
    'names of fonts such as "Inter, system-ui, sans-serif"',
  );
}

const LINKS: readonly (readonly [name: keyof PageLinks, label: PageText])[] = [
  ["terms", "Terms"],
  ["privacy", "Privacy"],
  ["help", "Help"],
];

function isAddress(value: unknown): value is string {
  if (isOwnPath(value)) return true;
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  return ["https:", "mailto:"].includes(new URL(value).protocol);
}

function readLinks(value: unknown): Look["links"] {
  const given = optionsAt(value, "pageTheme.links", LINKS.map(([name]) => name));
  return LINKS.filter(([name]) => given[name] !== undefined).map(([name, label]) => {
    const href = given[name];
    if (isAddress(href)) return { label, href };
    throw wrongOption(
      `pageTheme.links.${name}`,
      href,
      'a path such as "/terms", or an address with https: or mailto:',
    );
  });
}

const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

/** A language of a theme: the library's texts, and before them those of the application. */
interface KnownLanguage {
  tag: string;
  direction: "ltr" | "rtl";
  texts: ReadonlyMap<string, string>;
}

function readTexts(value: unknown, field: string): [string, string][] {
  if (!isOptions(value)) {
    throw wrongOption(field, value, 'texts such as { "Continue": "Go on" }');
  }
  return Object.entries(value).map(([text, translation]) => {
    if (typeof translation === "string") return [text, translation];
    throw wrongOption(`${field}["${text}"]`, translation, "a text");
  });
}

function readTag(value: unknown, field: string): string {
  if (typeof value === "string" && TAG.test(value)) return value;
  throw wrongOption(field, value, 'the tag of a language such as "de" or "pt-BR"');
}

function readLanguages({ languages, texts }: Record<string, unknown>): Map<string, KnownLanguage> {
  const known = new Map<string, KnownLanguage>([
    ["en", { tag: "en", direction: "ltr", texts: new Map() }],
  ]);
  if (languages !== undefined && !Array.isArray(languages)) {
    throw wrongOption("pageTheme.languages", languages, "a list such as [german]");
  }
  for (const [index, language] of (languages as unknown[] ?? []).entries()) {
    const field = `pageTheme.languages[${index}]`;
    if (!isOptions(language)) {
      throw wrongOption(field, language, "a language such as german of @framework/auth/languages");
    }
    checkKeys(language, ["tag", "direction", "texts"], field);
    const tag = readTag(language.tag, `${field}.tag`);
    const { direction = "ltr" } = language;
    if (direction !== "ltr" && direction !== "rtl") {
      throw wrongOption(`${field}.direction`, direction, '"ltr" or "rtl"');
    }
    known.set(tag, { tag, direction, texts: new Map(readTexts(language.texts, `${field}.texts`)) });
  }
  for (const [name, own] of Object.entries(tableAt(texts, "pageTheme.texts"))) {
    const field = `pageTheme.texts.${name}`;
    const tag = readTag(name, field);
    const { direction = "ltr", texts: before = [] } = known.get(tag) ?? {};
    known.set(tag, { tag, direction, texts: new Map([...before, ...readTexts(own, field)]) });
  }
  return known;
}

function readLanguage(
  value: unknown,
  known: ReadonlyMap<string, unknown>,
): { fallback: string; choose: (request: Request) => unknown } {
  const fallback = typeof value === "string" ? value : "en";
  const isFunction = typeof value === "function";
  if (value !== undefined && !isFunction && !known.has(value as string)) {
    throw wrongOption(
      "pageTheme.language",
      value,
      `one of ${
        [...known.keys()].map((tag) => `"${tag}"`).join(", ")
      }, or a function of the request`,
    );
  }
  return { fallback, choose: isFunction ? (request) => value(request) : () => undefined };
}

/** Source expression for a stylesheet in the Content-Security-Policy (CSP 3, 2.3.1). */
async function sourceOf(style: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encodeText(style));
  return `'sha256-${toBase64(new Uint8Array(digest))}'`;
}

/** The stylesheet of a theme: the variables that it sets. */
function styleOf(
  colors: { light: Scheme; dark: Scheme } | null,
  radius: number | null,
  font: string | null,
): string {
  const variables = colors === null ? [] : Object.keys(colors.light).map((name) => {
    const key = name as keyof Scheme;
    return `--${name}:light-dark(${colors.light[key]},${colors.dark[key]})`;
  });
  if (radius !== null) variables.push(`--radius:${radius / 16}rem`);
  if (font !== null) variables.push(`--font:${font}`);
  return variables.length === 0 ? "" : `:root{${variables.join(";")}}`;
}

/** A theme, checked. */
export interface ReadTheme {
  /** Returns the looks for the visitor who sends a request. */
  look(request: Request): Look;
  /** Completes the policy of a page with the hash of the theme's stylesheet. */
  dress(response: Response): Promise<Response>;
}

/**
 * Checks the options of a theme.
 *
 * @throws {ConfigurationError} Naming the option and what to write.
 */
export function readPageTheme(options: unknown): ReadTheme {
  if (!isOptions(options)) throw wrongOption("pageTheme()", options, "an object");
  checkKeys(options, KEYS, "pageTheme");
  const name = readName(options.name);
  const logo = readLogo(options.logo);
  const links = readLinks(options.links);
  const colors = options.colors === undefined ? null : readColors(options.colors);
  const radius = readRadius(options.radius);
  const style = styleOf(colors, radius, readFont(options.font));
  const languages = readLanguages(options);
  const { fallback, choose } = readLanguage(options.language, languages);
  const tags = [...new Set([fallback, ...languages.keys()])];
  const mail = colors === null && radius === null ? null : {
    ...colors ?? readColors(undefined),
    radius: radius ?? 10,
  };
  let source: string | undefined;

  function look(request: Request): Look {
    const chosen = choose(request);
    const { tag, direction, texts } = languages.get(chosen as string) ??
      languages.get(pickLanguage(request.headers.get("accept-language"), tags))!;
    return {
      ...DEFAULT_LOOK,
      name,
      logo,
      links,
      language: tag,
      direction,
      varies: tags.length > 1,
      translate: (text) => texts.get(text),
      style,
      mail,
    };
  }

  async function dress(response: Response): Promise<Response> {
    const policy = response.headers.get("content-security-policy");
    if (style === "" || !policy?.includes(THEME_SOURCE)) return response;
    source ??= await sourceOf(style);
    response.headers.set("content-security-policy", policy.replace(THEME_SOURCE, source));
    return response;
  }

  return { look, dress };
}
