/** Rules for crawlers. */
export interface RobotsRule {
  /** Name of a crawler, or several. Default: `*`, all that no other rule names. */
  userAgent?: string | readonly string[];
  /** Paths that it may read, such as `/` or `/docs/*`; the longest matching path decides. */
  allow?: string | readonly string[];
  /** Paths that it must not read. */
  disallow?: string | readonly string[];
}

/** Options for {@linkcode robots}. */
export interface RobotsOptions {
  /** Default: every crawler may read everything. */
  rules?: RobotsRule | readonly RobotsRule[];
  /** URL of the sitemap, or of several. */
  sitemap?: string | URL | readonly (string | URL)[];
}

/**
 * Creates the rules for crawlers: the answer of an `app/robots.txt/route.ts`. Rules ask crawlers
 * and protect nothing. Source: RFC 9309.
 *
 * @param options The rules, and where sitemaps are.
 * @throws {TypeError} For a path, a crawler's name or a sitemap's URL that is none.
 *
 * @example
 * ```ts
 * import { robots } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 *
 * const GET = (): Response =>
 *   robots({ rules: { disallow: "/admin" }, sitemap: "https://acme.example/sitemap.xml" });
 *
 * equal(
 *   await GET().text(),
 *   "User-agent: *\nDisallow: /admin\n\nSitemap: https://acme.example/sitemap.xml\n",
 * );
 * ```
 */
export function robots({ rules = {}, sitemap = [] }: RobotsOptions = {}): Response {
  const groups = [rules].flat().map((rule: RobotsRule) => {
    const { userAgent = "*", allow = [], disallow = [] } = rule;
    const lines = [
      ...[userAgent].flat().map((name) => `User-agent: ${crawlerOf(name)}`),
      ...[allow].flat().map((path) => `Allow: ${pathOf(path)}`),
      ...[disallow].flat().map((path) => `Disallow: ${pathOf(path)}`),
    ];
    // A group without rules would be one with the next group.
    return [...lines, ...(lines.length === [userAgent].flat().length ? ["Disallow:"] : []), ""];
  });
  const sitemaps = [sitemap].flat().map((url) => `Sitemap: ${sitemapOf(url)}`);
  const text = [...groups.flat(), ...sitemaps, ""].join("\n").replace(/\n+$/, "\n");
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

function crawlerOf(name: string): string {
  if (/^(\*|[\w.-]+)$/.test(name)) return name;
  throw new TypeError(
    `robots() was given the userAgent ${
      JSON.stringify(name)
    }: write a crawler's name, such as "Googlebot", or "*".`,
  );
}

/** Returns a path as RFC 9309, section 2.2.2, compares it: percent-encoded. */
function pathOf(path: string): string {
  // A line break would begin a rule, and "#" a comment.
  if (/^[/*][^\s#\p{Cc}]*$/u.test(path)) {
    return path.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
  }
  throw new TypeError(
    `robots() was given the path ${
      JSON.stringify(path)
    }: write one that begins with "/", without "#" and spaces.`,
  );
}

function sitemapOf(url: string | URL): string {
  const found = URL.canParse(String(url)) ? new URL(url) : null;
  if (found !== null && /^https?:$/.test(found.protocol)) return found.href;
  throw new TypeError(
    `robots() was given the sitemap ${
      JSON.stringify(String(url))
    }: write its whole URL, such as "https://acme.example/sitemap.xml".`,
  );
}
