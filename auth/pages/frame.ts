/**
 * The frame of every page, its language and its policy.
 *
 * @module
 */

import type { Look, RequestStore } from "../core/contracts.ts";
import { SECURITY_HEADERS } from "../core/error_response.ts";
import { findRequest } from "../core/request.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { LIST_STYLE, PAGE_SCRIPT, PAGE_STYLE } from "./style_text.ts";
import type { PageText } from "./texts.ts";

/** A page of the library, as the functions of this folder return it. */
export interface Page {
  /** Its title, before the name of the application. */
  title: Html;
  /** Content of its card, or of its main column. */
  body: Html;
  /** True when the page says what went wrong, so that its title does. Default false. */
  isError?: boolean;
  /** True for a page of which the script shows a password or copies codes. Default false. */
  hasScript?: boolean;
  /** True for lists and tables in a card. Default false. */
  hasLists?: boolean;
  /** The bar above a page without a card. Default: the page is a card. */
  bar?: PageBar;
}

/** The bar above a page with many sections, and the links to them. */
export interface PageBar {
  /** Path that signs out, and whether it asks first, as a page of the application's own does. */
  signOut: { path: string; asks: boolean };
  /** The sections, by id. */
  sections: readonly { id: string; title: Html }[];
  /** Links to other pages. */
  links: readonly Html[];
}

/** Options for {@linkcode pageResponse}. */
export interface PageResponseOptions {
  /** The status of the response. Default 200. */
  status?: number;
  /** Further origins to which a form of the page may lead. Default: none. */
  formOrigins?: Iterable<string>;
  /** Paths of scripts on the own origin. The page works without them. Default: none. */
  scripts?: readonly string[];
}

/** The looks of a page where there is no theme. */
export const DEFAULT_LOOK: Look = {
  name: null,
  logo: null,
  links: [],
  language: "en",
  direction: "ltr",
  varies: false,
  translate: () => undefined,
  style: "",
  mail: null,
};

/** Returns the looks of the pages for the visitor of a request. */
export function lookOf({ auth, request }: Pick<RequestStore, "auth" | "request">): Look {
  return auth.settings.pages.theme?.look?.(request) ?? DEFAULT_LOOK;
}

/** Source of a theme's stylesheet in a policy, until `Theme.dress()` writes its hash there. */
export const THEME_SOURCE = "'theme'";

const PLACE = /\{(\w+)\}/;

/**
 * Writes a text in the language of a page.
 *
 * @param text The English text, with places such as `{app}`.
 * @param values What stands in the places: texts, which are escaped, or markup.
 */
export function say(look: Look, text: PageText, values: Record<string, HtmlValue> = {}): Html {
  return fill(look.translate(text) ?? text, values);
}

/**
 * Writes a text that may be the application's own, in the language of the page where the theme knows it. The sentence
 * of an error may have a number in it, in whose place languages have `{n}`.
 */
export function sayOwn(look: Look, text: string): Html {
  const known = look.translate(text);
  const [n] = /\d+/.exec(text) ?? [];
  if (known !== undefined || n === undefined) return fill(known ?? text, {});
  return fill(look.translate(text.replace(n, "{n}")) ?? text, { n });
}

function fill(text: string, values: Record<string, HtmlValue>): Html {
  const parts = text.split(PLACE).map((part, index) =>
    index % 2 === 0 ? part : Object.hasOwn(values, part) ? values[part]! : `{${part}}`
  );
  return markup`${parts}`;
}

/** Writes one text where the application has a name, and the other where it has none; `values` as for {@linkcode say}. */
export function sayNamed(
  look: Look,
  named: PageText,
  unnamed: PageText,
  values: Record<string, HtmlValue> = {},
): Html {
  const { name } = look;
  return name === null
    ? say(look, unnamed, values)
    : say(look, named, { ...values, app: markup`<bdi>${name}</bdi>` });
}

/**
 * Formats of stretches of time, by language and unit: to make one takes longer than all else in a mail. They are no more
 * than a theme has languages, whatever a client asks for.
 */
const DURATIONS = new Map<string, Intl.NumberFormat>();

function durationFormat(language: string, unit: string): Intl.NumberFormat {
  const key = `${language} ${unit}`;
  const format = DURATIONS.get(key) ??
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  DURATIONS.set(key, format);
  return format;
}

/** A stretch of time in words, such as "15 minutes", in the language of the page. */
export function duration(look: Look, seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const [unit, length] = minutes < 90 && minutes !== 60
    ? ["minute", 60] as const
    : seconds < 129_600
    ? ["hour", 3600] as const
    : ["day", 86_400] as const;
  return durationFormat(look.language, unit).format(Math.max(1, Math.ceil(seconds / length)));
}

/** A day, in the language of the page. The server knows no visitor's zone, so days are those of UTC. */
export function day(look: Look, date: Date): Html {
  const text = new Intl.DateTimeFormat(look.language, { dateStyle: "medium", timeZone: "UTC" });
  return markup`<time datetime="${date.toISOString().slice(0, 10)}">${text.format(date)}</time>`;
}

/** A moment to the minute, in the language of the page and in UTC. */
export function moment(look: Look, date: Date): Html {
  const text = momentText(look, date, "medium");
  return markup`<time datetime="${date.toISOString()}">${text}</time>`;
}

/**
 * The same as text.
 *
 * @param dateStyle Form of the day; null for the time of the day alone.
 */
export function momentText(look: Look, date: Date, dateStyle: "medium" | "long" | null): string {
  const format = new Intl.DateTimeFormat(look.language, {
    ...dateStyle !== null && { dateStyle },
    timeStyle: "short",
    timeZone: "UTC",
  });
  return `${format.format(date)} UTC`;
}

/**
 * The policy of a page: its stylesheets and its script by their hashes, no other script but the library's own where a
 * page names one, no frames. `form-action` holds for the redirect that answers a form too, so it lists wherever that
 * may lead.
 */
function contentSecurityPolicy(
  look: Look,
  page: Page,
  { formOrigins = [], scripts = [] }: PageResponseOptions,
): string {
  const styles = [PAGE_STYLE, ...hasLists(page) ? [LIST_STYLE] : []].map(({ hash }) => `'${hash}'`);
  const sources = [
    ...page.hasScript ? [`'${PAGE_SCRIPT.hash}'`] : [],
    ...scripts.length > 0 ? ["'self'"] : [],
  ];
  return [
    "default-src 'none'",
    ...sources.length > 0 ? [`script-src ${sources.join(" ")}`] : [],
    ...scripts.length > 0 ? ["connect-src 'self'"] : [],
    ...look.logo !== null ? ["img-src 'self'"] : [],
    `style-src ${[...styles, ...look.style === "" ? [] : [THEME_SOURCE]].join(" ")}`,
    `form-action ${["'self'", ...formOrigins].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function hasLists({ bar, hasLists = false }: Page): boolean {
  return hasLists || bar !== undefined;
}

function trusted(text: string): Html {
  return { markup: text };
}

/** Name and logo of the application; null where it has neither. */
function brand({ name, logo }: Look): Html | null {
  if (name === null && logo === null) return null;
  const picture = logo === null
    ? markup`<span class="mark" aria-hidden="true">${[...name!.trim()][0]!.toUpperCase()}</span>`
    : logo.light === logo.dark
    ? markup`<img src="${logo.light}" alt="">`
    : markup`<picture><source srcset="${logo.dark}" media="(prefers-color-scheme: dark)"><img src="${logo.light}" alt=""></picture>`;
  return markup`${picture}${name !== null && markup` <bdi>${name}</bdi>`}`;
}

/** Note above every page of a request, such as that somebody acts for the user; null for none. */
function bannerOf(look: Look): Html | null {
  const store = findRequest();
  if (store === undefined) return null;
  for (const module of store.auth.settings.modules) {
    if ("banner" in module && module.banner) return module.banner(store, look);
  }
  return null;
}

/** Tests that somebody acts for the user of a request: what only the user may do is then not offered. */
export function isActedFor(look: Look): boolean {
  return bannerOf(look) !== null;
}

function card(look: Look, { body }: Page): Html {
  const mark = brand(look);
  return markup`<main class="card">
${mark !== null && markup`<p class="brand">${mark}</p>\n`}${bannerOf(look)}${body}
</main>
`;
}

function column(look: Look, { body }: Page, { signOut, sections, links }: PageBar): Html {
  const banner = bannerOf(look);
  // A form that is sent once nobody acts for the user any more would change what is the visitor's own.
  const content = banner === null ? body : markup`<fieldset disabled>${body}</fieldset>`;
  const mark = brand(look) ?? say(look, "Start page");
  const parts = sections.map(({ id, title }) => markup`<a href="#${id}">${title}</a>\n`);
  return markup`<a class="away" href="#main">${say(look, "Skip to content")}</a>
<header class="bar">
<a class="brand" href="/">${mark}</a>
${links}${
    signOut.asks
      ? markup`<a class="button" href="${signOut.path}">${say(look, "Sign out")}</a>`
      : markup`<form method="post" action="${signOut.path}"><button>${
        say(look, "Sign out")
      }</button></form>`
  }
</header>
<div class="frame">
${
    sections.length > 0 &&
    markup`<nav class="toc" aria-label="${say(look, "On this page")}">\n${parts}</nav>\n`
  }<main id="main">
${banner}${content}
</main>
</div>
`;
}

/** Makes the response for a page. */
export function pageResponse(
  look: Look,
  page: Page,
  options: PageResponseOptions = {},
): Response {
  const { name, language, direction, links } = look;
  // As `sayNamed()` writes it.
  const isNamed = name === null || page.title.markup.includes(markup`<bdi>${name}</bdi>`.markup);
  const styles = [
    PAGE_STYLE.text,
    ...hasLists(page) ? [LIST_STYLE.text] : [],
    ...look.style === "" ? [] : [look.style],
  ].map((text) => markup`<style>${trusted(text)}</style>\n`);
  const footer = links.map(({ label, href }) =>
    markup`<a href="${href}">${sayOwn(look, label)}</a>\n`
  );
  const document = markup`<!doctype html>
<html lang="${language}"${direction === "rtl" && trusted(' dir="rtl"')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.isError && markup`${say(look, "Error:")} `}${plain(page.title)}${
    !isNamed && ` · ${name}`
  }</title>
${styles}${
    (options.scripts ?? []).map((path) => markup`<script type="module" src="${path}"></script>\n`)
  }</head>
<body${page.bar && trusted(' class="wide"')}>
${page.bar ? column(look, page, page.bar) : card(look, page)}${
    footer.length > 0 && markup`<footer class="foot">\n${footer}</footer>\n`
  }${page.hasScript && markup`<script>${trusted(PAGE_SCRIPT.text)}</script>\n`}</body>
</html>
`;
  return new Response(document.markup, {
    status: options.status ?? 200,
    headers: {
      ...SECURITY_HEADERS,
      ...look.varies && { vary: `${SECURITY_HEADERS.vary}, Accept-Language` },
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(look, page, options),
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
    },
  });
}

/** A heading as the text of a title, where no element can stand. Everything else in it has been escaped. */
function plain({ markup }: Html): Html {
  return { markup: markup.replace(/<[^>]*>/g, "") };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** The same as text, without what was escaped for HTML: for a mail's subject, and for its part in plain text. */
export function plainText(content: Html): string {
  return plain({ markup: content.markup.replace(/<br>/g, "\n") }).markup
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);
}
