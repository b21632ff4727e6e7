import { Buffer } from "node:buffer";
import type { TimedEntry } from "./trace.ts";

/** Trace of one test. */
export interface TracedTest {
  /** Name of the test. */
  name: string;
  /** Error with which it failed; undefined for one that passed. */
  failure?: string;
  entries: readonly TimedEntry[];
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
pre { margin: 0.4rem 0 0; padding: 0.6rem; border-radius: 6px; overflow: auto; max-height: 24rem;
  white-space: pre-wrap; overflow-wrap: anywhere; background: light-dark(#f3f4f6, #1d2430); }
.failure { border-left: 4px solid light-dark(#c62828, #ff8a80); }
form { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; margin: 1rem 0; }
ol { list-style: none; margin: 0; padding: 0; }
li { display: grid; grid-template-columns: 6rem 6rem minmax(0, 1fr) 5rem; gap: 0.5rem;
  padding: 0.35rem 0; border-top: 1px solid light-dark(#e2e5ea, #333c4a); }
li > :first-child, li > :last-child { text-align: right; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; overflow-wrap: anywhere; }
img { max-width: 100%; border: 1px solid light-dark(#e2e5ea, #333c4a); }
.failed { color: light-dark(#c62828, #ff8a80); }
`;

const KINDS = ["request", "storage", "call", "mail", "log", "screenshot"];

/** Rules that hide the entries of a kind whose box is not ticked: the page needs no script. */
const FILTER = KINDS.map((kind) => `body:has(#${kind}:not(:checked)) li.${kind} { display: none; }`)
  .join("\n");

/**
 * Writes a trace as one HTML file, which needs no other file, no script and no network.
 *
 * @param test The test.
 */
export function tracePage({ name, failure, entries }: TracedTest): string {
  const found = KINDS.filter((kind) => entries.some((entry) => entry.kind === kind));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escape(name)}</title>
<style>${STYLE}${FILTER}</style>
</head>
<body>
<h1>${escape(name)}</h1>
${failure === undefined ? "" : `<pre class="failure">${escape(failure)}</pre>`}
<form aria-label="Show">${found.map(box).join("")}</form>
<ol>
${entries.map(row).join("\n")}
</ol>
</body>
</html>
`;
}

function box(kind: string): string {
  return `<label><input type="checkbox" id="${kind}" checked> ${kind}</label>`;
}

function row({ at, kind, title, detail, milliseconds, isFailure, image }: TimedEntry): string {
  const text = typeof detail === "function" ? detail() : detail;
  const line = `<span${isFailure ? ' class="failed"' : ""}>${escape(title)}</span>`;
  const inside = [
    text === undefined || text === "" ? "" : `<pre>${escape(text)}</pre>`,
    image === undefined ? "" : `<img alt="${escape(title)}" src="${dataUrl(image)}">`,
  ].join("");
  const shown = inside === ""
    ? `<div>${line}</div>`
    : `<details><summary>${line}</summary>${inside}</details>`;
  const took = milliseconds === undefined ? "" : `${milliseconds.toFixed(1)} ms`;
  return `<li class="${kind}"><span>+${
    at.toFixed(0)
  } ms</span><span>${kind}</span>${shown}<span>${took}</span></li>`;
}

function dataUrl(image: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(image).toString("base64")}`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
