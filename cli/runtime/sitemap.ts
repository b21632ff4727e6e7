import { escapeHtml } from "./document.ts";

/** Page of a sitemap. */
export interface SitemapEntry {
  /** Address of the page: a URL, or a path such as `/about`. */
  url: string;
  /** Time of the last change; a text is a date such as `2026-07-30`, or a date and time. */
  lastModified?: Date | string;
  /** The same page in other languages: addresses by language, such as `{ de: "/de/about" }`. */
  languages?: Record<string, string>;
}

/** Options for {@linkcode sitemap} and {@linkcode sitemapIndex}. */
export interface SitemapOptions {
  /** Address of the site, such as `https://acme.example`, to which paths are relative. */
  base: string | URL;
}

/** Limits of one file, by https://www.sitemaps.org/protocol.html. */
const LIMITS = { entries: 50_000, bytes: 52_428_800, address: 2_048 };

const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/**
 * Creates a sitemap, which tells search engines the pages of a site; the answer of an
 * `app/sitemap.xml/route.ts`. Source: https://www.sitemaps.org/protocol.html.
 *
 * @param entries Addresses or entries, at most 50,000.
 * @param options The site's address.
 * @throws {RangeError} For more entries or bytes than a sitemap may have; `sitemapIndex()` joins
 * several.
 * @throws {TypeError} For an address or a date that is none.
 *
 * @example
 * ```ts
 * import { sitemap } from "@framework/cli/runtime";
 * import { match } from "node:assert/strict";
 *
 * const GET = (): Response =>
 *   sitemap(["/", { url: "/about", lastModified: "2026-07-30" }], { base: "https://acme.example" });
 *
 * match(await GET().text(), /<loc>https:\/\/acme\.example\/about<\/loc><lastmod>2026-07-30</);
 * ```
 */
export function sitemap(
  entries: readonly (string | SitemapEntry)[],
  options: SitemapOptions,
): Response {
  const list = entries.map((entry) => typeof entry === "string" ? { url: entry } : entry);
  const hasLanguages = list.some(({ languages }) => languages !== undefined);
  const extra = hasLanguages ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' : "";
  const urls = list.map((entry) =>
    `<url>${locationOf(entry, options)}${
      Object.entries(entry.languages ?? {}).map(([language, url]) =>
        `<xhtml:link rel="alternate" hreflang="${escapeHtml(language)}" href="${
          addressOf(url, options)
        }"/>`
      ).join("")
    }</url>\n`
  );
  return answer("urlset", extra, urls);
}

/**
 * Creates an index of sitemaps, for a site with more pages than one sitemap may have.
 *
 * @param sitemaps Addresses of the sitemaps, at most 50,000.
 * @param options The site's address.
 * @throws {RangeError} For more entries or bytes than an index may have.
 * @throws {TypeError} For an address or a date that is none.
 *
 * @example
 * ```ts
 * import { sitemapIndex } from "@framework/cli/runtime";
 * import { match } from "node:assert/strict";
 *
 * const index = sitemapIndex(["/sitemaps/1", "/sitemaps/2"], { base: "https://acme.example" });
 * match(await index.text(), /<sitemap><loc>https:\/\/acme\.example\/sitemaps\/1<\/loc><\/sitemap>/);
 * ```
 */
export function sitemapIndex(
  sitemaps: readonly (string | Omit<SitemapEntry, "languages">)[],
  options: SitemapOptions,
): Response {
  const list = sitemaps.map((entry) =>
    `<sitemap>${
      locationOf(typeof entry === "string" ? { url: entry } : entry, options)
    }</sitemap>\n`
  );
  return answer("sitemapindex", "", list);
}

function answer(element: "urlset" | "sitemapindex", extra: string, list: string[]): Response {
  const split = element === "urlset"
    ? "Split it into several sitemaps, and answer with sitemapIndex()"
    : "Split it into several indexes, and name each in robots()";
  if (list.length > LIMITS.entries) {
    throw new RangeError(
      `The sitemap has ${list.length} entries, and 50,000 are the limit. ${split}.`,
    );
  }
  const body = new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="${NAMESPACE}"${extra}>\n${
      list.join("")
    }</${element}>\n`,
  );
  if (body.byteLength > LIMITS.bytes) {
    throw new RangeError(
      `The sitemap has ${body.byteLength} bytes, and 52,428,800 are the limit. ${split}.`,
    );
  }
  return new Response(body, { headers: { "content-type": "application/xml; charset=utf-8" } });
}

function locationOf({ url, lastModified }: SitemapEntry, options: SitemapOptions): string {
  const date = lastModified === undefined ? "" : `<lastmod>${dateOf(lastModified)}</lastmod>`;
  return `<loc>${addressOf(url, options)}</loc>${date}`;
}

function addressOf(address: string, { base }: SitemapOptions): string {
  const url = URL.canParse(address, base) ? new URL(address, base) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `The sitemap has the address ${
        JSON.stringify(address)
      }, which is no path and no URL of http or https.`,
    );
  }
  const { href } = url;
  if (href.length >= LIMITS.address) {
    throw new TypeError(
      `The sitemap has an address of ${href.length} characters, and it must have fewer than 2,048: ${
        href.slice(0, 80)
      }…`,
    );
  }
  return escapeHtml(href);
}

/** Profile of ISO 8601 of https://www.w3.org/TR/NOTE-datetime. */
const w3cDate = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?$/;

function dateOf(date: Date | string): string {
  const text = typeof date === "string" || Number.isNaN(date.getTime())
    ? String(date)
    : date.toISOString();
  if (w3cDate.test(text)) return text;
  throw new TypeError(
    `The sitemap has the date ${JSON.stringify(text)}; write a Date, or a text like "2026-07-30".`,
  );
}
