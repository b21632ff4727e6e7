/**
 * The frame of every page, its style and its headers.
 *
 * @module
 */

import { type Html, markup } from "../lib/html.ts";
import { SECURITY_HEADERS } from "./error_response.ts";

/** A page of the library. */
export interface Page {
  /** Its title and heading. */
  title: string;
  /** Content below the heading. */
  body: Html;
  /** The status of the response. Default 200. */
  status?: number;
  /** Further origins to which a form of the page may lead. Default: none. */
  formOrigins?: Iterable<string>;
  /** Paths of scripts on the own origin. The page works without them. Default: none. */
  scripts?: readonly string[];
  /** A stylesheet in addition to that of all pages, and its hash for the policy. Default: none. */
  style?: { text: string; hash: string };
}

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

/** The stylesheet of the built-in pages: light or dark as the platform is. A button beside others that asks for nothing is one of several ways. */
const PAGE_STYLE: string =
  `:root{color-scheme:light dark;--quiet:light-dark(#5b636d,#a3acb8);--accent:light-dark(#1f5fd0,#8ab4ff);
--bad:light-dark(#a31621,#ffb3b8);--line:light-dark(#dce1e8,#2f3742);--card:light-dark(#fff,#171b21)}
*{box-sizing:border-box;margin:0}
body{place-items:center;min-height:100vh;padding:clamp(.75rem,4vw,1.5rem);font:1rem/1.5 system-ui,sans-serif;
background:light-dark(#f4f6f9,#0e1115)}
body,main,div,form,label{display:grid;grid-template-columns:100%;gap:1rem}
[hidden]{display:none}
main{width:100%;max-width:25rem;padding:clamp(1.25rem,6vw,2rem);color:light-dark(#171b21,#e8ecf1);
background:var(--card);border:1px solid var(--line);border-radius:.75rem;box-shadow:0 .5rem 1.5rem #00000012}
h1{font-size:1.5rem;line-height:1.2}
h2{font-size:1.1rem}
form+:not(form){padding-top:1rem;border-top:1px solid var(--line)}
label{gap:.35rem;font-weight:600}
input,button{font:inherit;padding:.6rem .75rem;border:1px solid var(--quiet);border-radius:.5rem}
input{color:inherit;font-weight:400;background:none}
::placeholder{color:var(--quiet)}
button{font-weight:600;color:var(--card);background:var(--accent);border-color:var(--accent);cursor:pointer}
form:not(:has(label),:only-of-type) button{color:var(--accent);background:none;border-color:var(--quiet)}
button:hover{filter:brightness(1.1)}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.alert{padding:.75rem;color:var(--bad);border:1px solid;border-radius:.5rem}
.quiet{color:var(--quiet);font-size:.875rem;overflow-wrap:anywhere}
`;

/**
 * Hash source of the stylesheet for the Content-Security-Policy (CSP Level 3, 8.2). A constant, so
 * that a bundle of the middleware alone contains no hash function; a test verifies it.
 */
export const PAGE_STYLE_HASH: string = "sha256-iQ4gWf0+YPXRA3ckW5oZNg9XnY/RXw5rU/nVqdp9xSw=";
