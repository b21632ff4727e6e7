/**
 * The frame around a page of the documentation.
 *
 * @module
 */

import { escapeHtml, type Rendered } from "./markdown.ts";
import { syntaxStyle } from "./syntax.ts";

/** A link to a page. */
export interface PageLink {
  title: string;
  address: string;
}

/** A link of the navigation. */
export interface NavigationLink extends PageLink {
  /** "page" for this page, true for one that it belongs to. */
  current: "page" | boolean;
}

/** A page with what stands around it. */
export interface Page {
  content: Rendered;
  navigation: { title: string; links: NavigationLink[] }[];
  /** Address of the first page and of the stylesheet. */
  home: string;
  /** Address of the search page; null on that page itself. */
  search: string | null;
  stylesheet: string;
  /** Address of the same as Markdown; null where there is none. */
  markdown: string | null;
  version: string;
  /** Subject of the page, for lists of other programs. */
  description: string;
  /** Pages before and after this one in the navigation. */
  before: PageLink | null;
  after: PageLink | null;
  /** Path of this page below the folder of its version. */
  page: string;
}

/** The whole HTML of a page. Only the search and the switch of versions need a script. */
export function renderPage(
  { content, navigation, home, search, stylesheet, markdown, version, page, ...rest }: Page,
): string {
  const groups = navigation.map(({ title, links }) =>
    `<p>${escapeHtml(title)}</p>\n<ul>${
      links.map((link) =>
        `<li><a href="${link.address}"${link.current ? ` aria-current="${link.current}"` : ""}>` +
        `${escapeHtml(link.title)}</a></li>`
      ).join("\n")
    }</ul>`
  ).join("\n");
  const sections = content.sections.length < 3
    ? ""
    : `<nav class="sections" aria-label="On this page">
<p>On this page</p>
<ul>${
      content.sections.map(({ anchor, title }) =>
        `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`
      ).join("\n")
    }</ul>
</nav>`;
  const form = search === null ? "" : `<form role="search" action="${search}">
<input name="q" type="search" aria-label="Search" placeholder="Search"></form>
`;
  const alternate = markdown === null
    ? ""
    : `<link rel="alternate" type="text/markdown" href="${markdown}">\n`;
  const { description, before, after } = rest;
  const neighbours = before === null && after === null
    ? ""
    : `<nav class="neighbours" aria-label="Before and after">
${before === null ? "" : `<a rel="prev" href="${before.address}">← ${escapeHtml(before.title)}</a>`}
${after === null ? "" : `<a rel="next" href="${after.address}">${escapeHtml(after.title)} →</a>`}
</nav>`;
  const root = "../".repeat(page.split("/").length);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(content.title)}${content.title === "framework" ? "" : " · framework"}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="canonical" href="${root}${version}/${page}">
<link rel="stylesheet" href="${stylesheet}">
<script src="${root}versions.js" data-page="${page}" data-version="${version}" defer></script>
${alternate}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="${home}">framework</a> <a id="version" href="${root}versions.html">${version}</a>
<a class="to-contents" href="#contents">Contents</a>
${form}</header>
<div class="columns">
<main id="content">
${content.html}
${neighbours}
</main>
<nav class="contents" id="contents" aria-label="Contents">
${groups}
</nav>
${sections}
</div>
</body>
</html>
`;
}

/** The stylesheet of all pages. */
export const stylesheet: string = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2129, #e4e7ec);
  --soft: light-dark(#525b6b, #a4adbb);
  --paper: light-dark(#ffffff, #14171c);
  --panel: light-dark(#f4f5f7, #1d2129);
  --line: light-dark(#d9dde4, #333a46);
  --link: light-dark(#1b56b3, #8fb8ff);
}
* { box-sizing: border-box }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif;
}
a { color: var(--link); text-underline-offset: .15em }
a:focus-visible, pre:focus-visible, .table:focus-visible, input:focus-visible, button:focus-visible, summary:focus-visible {
  outline: 2px solid var(--link);
  outline-offset: 2px;
}
.skip { position: absolute; left: -100vw }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem }
header { padding: .8rem max(1.5rem, 50vw - 42.5rem); border-bottom: 1px solid var(--line) }
header > a:first-child { color: var(--ink); font-weight: 700; text-decoration: none }
#version, .versions { color: var(--soft); font-size: .85rem; margin-left: .4rem }
.versions { display: inline-block; position: relative }
.versions summary { cursor: pointer }
.versions ul { position: absolute; z-index: 1; list-style: none; margin: .3rem 0; padding: .4rem .8rem; background: var(--paper); border: 1px solid var(--line); border-radius: .3rem }
.note { background: var(--panel); border-left: 4px solid var(--link); padding: .6rem 1rem }
.columns { display: grid; gap: 0 3rem; max-width: 88rem; margin: auto; padding: 0 1.5rem }
nav p { margin: 1.4rem 0 .3rem; font-weight: 600; font-size: .85rem; color: var(--soft) }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: block; padding: .2rem 0; text-decoration: none; font-size: .95rem }
nav a:hover { text-decoration: underline }
nav a[aria-current] { color: var(--ink); font-weight: 600 }
.to-contents { float: right }
header form { display: inline-block; margin-left: 1rem }
input, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--soft); border-radius: .3rem; padding: .2rem .5rem; max-width: 100% }
header input { width: 11rem; font-size: .9rem }
.contents { border-top: 1px solid var(--line); padding-bottom: 3rem }
.sections { display: none }
main { min-width: 0; max-width: 52rem; padding-bottom: 5rem }
main > :is(p, ul, ol) { max-width: 46rem }
h1, h2, h3, p, li { overflow-wrap: anywhere }
h1 { font-size: 2rem; line-height: 1.2; margin: 1.6rem 0 1rem }
h2 { font-size: 1.4rem; line-height: 1.3; margin: 2.6rem 0 .8rem }
h3 { font-size: 1.1rem; margin: 2rem 0 .6rem }
li { margin: .3rem 0 }
code { font: .88em/1.5 ui-monospace, "DejaVu Sans Mono", monospace }
:not(pre) > code { background: var(--panel); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere }
pre code { font-size: .82rem }
pre { background: var(--panel); border-radius: 8px; padding: 1rem; overflow-x: auto }
${syntaxStyle}.neighbours { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line) }
.neighbours [rel="next"] { margin-left: auto; text-align: right }
main img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; min-width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--line) }
th { font-size: .85rem; color: var(--soft) }
td { min-width: 8rem }
@media (min-width: 40rem) {
  td code { overflow-wrap: break-word }
}
a:has(> code) { text-underline-offset: .35em }
#words { width: min(26rem, 100%) }
#results { padding: 0; list-style: none }
#results li { margin: 1rem 0 }
#results p { margin: 0; color: var(--soft); font-size: .9rem }
@media (max-width: 40rem) {
  header form { display: block; margin: .5rem 0 0 }
  header input { width: 100% }
  th, td { min-width: 6rem; padding-right: .6rem; font-size: .9rem }
}
@media (min-width: 60rem) {
  .columns { grid-template-columns: 13rem minmax(0, 1fr) }
  main { grid-column: 2; grid-row: 1 }
  .to-contents { display: none }
  .contents { grid-column: 1; grid-row: 1; border: 0; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding-bottom: 2rem }
}
@media (min-width: 82rem) {
  .columns { grid-template-columns: 13rem minmax(0, 1fr) 13rem }
  .sections { display: block; grid-column: 3; grid-row: 1; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto }
}
@media print {
  header, .skip, .contents, .sections, .neighbours { display: none }
  .columns { display: block }
  pre { white-space: pre-wrap; break-inside: avoid }
}
`;
