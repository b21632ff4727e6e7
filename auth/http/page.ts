import { type Html, markup } from "./html.ts";
import { PAGE_STYLE, PAGE_STYLE_HASH } from "./page_style.ts";

/** A page of the library. */
export interface Page {
  /** Its title and heading. */
  title: string;
  /** What stands below the heading. */
  body: Html;
  /** The status of the response. Default 200. */
  status?: number;
  /** Origins beside the own one to which a form of the page may lead. Default: none. */
  formOrigins?: Iterable<string>;
  /** Paths of scripts on the own origin. The page works without them. Default: none. */
  scripts?: readonly string[];
  /** A stylesheet beside that of all pages, and what the policy calls it. Default: none. */
  style?: { text: string; hash: string };
}

/** The headers that every response of the library has. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "vary": "Accept, Cookie",
  "x-content-type-options": "nosniff",
  // With no-referrer the browser would send the page's own forms with `Origin: null`.
  "referrer-policy": "same-origin",
};

/**
 * The policy of the pages: no script but the library's own where a page names one, one stylesheet by its
 * hash, no frames. `form-action` holds for the redirect that answers a form too, so it lists wherever
 * that may lead.
 */
function contentSecurityPolicy({ formOrigins = [], scripts = [], style }: Page): string {
  return [
    "default-src 'none'",
    ...scripts.length > 0 ? ["script-src 'self'", "connect-src 'self'"] : [],
    `style-src '${PAGE_STYLE_HASH}'${style === undefined ? "" : ` '${style.hash}'`}`,
    `form-action ${["'self'", ...formOrigins].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Makes the response for a page. */
export function pageResponse(page: Page): Response {
  const style: Html = { markup: PAGE_STYLE };
  const more = page.style && markup`<style>${{ markup: page.style.text }}</style>\n`;
  const document = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style>${style}</style>
${more ?? null}${
    (page.scripts ?? []).map((path) => markup`<script type="module" src="${path}"></script>\n`)
  }</head>
<body>
<main>
<h1>${page.title}</h1>
${page.body}
</main>
</body>
</html>
`;
  return new Response(document.markup, {
    status: page.status ?? 200,
    headers: {
      ...SECURITY_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(page),
      "cross-origin-opener-policy": "same-origin",
      "x-frame-options": "DENY",
    },
  });
}
