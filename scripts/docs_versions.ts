/**
 * Versions of the documentation beside each other: one folder each, their list, a switch on every page, and the way to the
 * newest.
 *
 * @module
 */

import { join } from "node:path";
import { escapeHtml } from "./markdown.ts";
import { rewriteLinks } from "./markdown_links.ts";
import { exists } from "./workspace.ts";

/** A version that is present. */
export interface SiteVersion {
  version: string;
  /** Paths of its pages below its folder. */
  pages: string[];
}

/** Content of `versions.json`. */
export interface Versions {
  /** The newest one that is no pre-release; the newest one when all are. */
  latest: string;
  /** The newest first. */
  versions: SiteVersion[];
}

/** Compares two versions as Semantic Versioning does; the newer one comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => {
    const [numbers = "", ...rest] = version.split("-");
    return { numbers: numbers.split(".").map(Number), rest: rest.join("-") };
  }) as [{ numbers: number[]; rest: string }, { numbers: number[]; rest: string }];
  for (const [index, number] of left.numbers.entries()) {
    const difference = (right.numbers[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  if (left.rest === "" || right.rest === "") {
    return right.rest.length - left.rest.length === 0 ? 0 : left.rest === "" ? -1 : 1;
  }
  return right.rest.localeCompare(left.rest, "en", { numeric: true });
}

/**
 * Lists a version that has been built among those that are present, and leads to the newest.
 *
 * @param folder Absolute path of the site.
 * @param built The version, whose folder is there.
 */
export async function listVersion(folder: string, built: SiteVersion): Promise<Versions> {
  const others: SiteVersion[] = [];
  for (const other of await readVersions(folder)) {
    const isThere = other.version !== built.version && await exists(join(folder, other.version));
    if (isThere) others.push(other);
  }
  const versions = [built, ...others].sort((a, b) => compareVersions(a.version, b.version));
  const latest = versions.find(({ version }) => !version.includes("-")) ?? versions[0]!;
  const list: Versions = { latest: latest.version, versions };
  const write = (name: string, text: string): Promise<void> =>
    Deno.writeTextFile(join(folder, name), text);
  await write("versions.json", `${JSON.stringify(list, null, 1)}\n`);
  await write("versions.js", `(${switchVersions})(${JSON.stringify(list)});\n`);
  await write("versions.html", listPage(list));
  await write("index.html", redirect(`${latest.version}/index.html`));
  await Deno.mkdir(join(folder, "latest"), { recursive: true });
  await write("latest/index.html", redirect(`../${latest.version}/index.html`));
  const index = join(folder, latest.version, "llms.txt");
  if (await exists(index)) {
    const text = await Deno.readTextFile(index);
    await write("llms.txt", rewriteLinks(text, (address) => `${latest.version}/${address}`));
  }
  for (const each of versions) await nameCanonical(folder, each, latest);
  return list;
}

async function readVersions(folder: string): Promise<SiteVersion[]> {
  const file = join(folder, "versions.json");
  if (!await exists(file)) return [];
  return (JSON.parse(await Deno.readTextFile(file)) as Versions).versions;
}

/** Names the newest version's page as the one that search engines list. */
async function nameCanonical(
  folder: string,
  { version, pages }: SiteVersion,
  latest: SiteVersion,
): Promise<void> {
  const known = new Set(latest.pages);
  for (const page of pages) {
    const path = join(folder, version, page);
    const html = await Deno.readTextFile(path);
    const of = known.has(page) ? latest.version : version;
    const address = `${"../".repeat(page.split("/").length)}${of}/${page}`;
    const link = `<link rel="canonical" href="${address}">`;
    const named = html.replace(/<link rel="canonical" href="[^"]*">/, link);
    if (named !== html) await Deno.writeTextFile(path, named);
  }
}

/**
 * The script of every page, which takes the place of the version's link. It is made with each build, so that older versions
 * know of newer ones.
 */
const switchVersions = `function ({ latest, versions }) {
  const { page, version } = document.currentScript.dataset;
  const up = "../".repeat(page.split("/").length);
  function linkTo(other) {
    const link = document.createElement("a");
    const isThere = other.pages.includes(page);
    link.href = up + other.version + "/" + (isThere ? page + location.hash : "index.html");
    link.textContent = other.version;
    if (other.version === version) link.setAttribute("aria-current", "true");
    return link;
  }
  const shown = document.getElementById("version");
  if (versions.length > 1) {
    const panel = document.createElement("details");
    panel.className = "versions";
    panel.append(document.createElement("summary"), document.createElement("ul"));
    panel.firstChild.textContent = version;
    panel.firstChild.setAttribute("aria-label", "Version " + version + ", change it");
    for (const other of versions) {
      panel.lastChild.append(document.createElement("li"));
      panel.lastChild.lastChild.append(linkTo(other));
    }
    shown.replaceWith(panel);
  }
  const newest = versions.find((other) => other.version === latest);
  if (version !== latest && newest) {
    const note = document.createElement("p");
    note.className = "note";
    note.append("This is version " + version + ". The newest is ", linkTo(newest), ".");
    document.querySelector("main").prepend(note);
  }
}`;

function redirect(address: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${address}">
<link rel="canonical" href="${address}">
<title>framework</title>
</head>
<body><p><a href="${address}">The newest version</a></p></body>
</html>
`;
}

function listPage({ latest, versions }: Versions): string {
  const items = versions.map(({ version }) =>
    `<li><a href="${version}/index.html">${escapeHtml(version)}</a>${
      version === latest ? " (newest)" : ""
    }</li>`
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Versions · framework</title>
<link rel="stylesheet" href="${latest}/style.css">
</head>
<body>
<header><a href="${latest}/index.html">framework</a></header>
<div class="columns">
<main id="content">
<h1>Versions</h1>
<ul>
${items.join("\n")}
</ul>
</main>
</div>
</body>
</html>
`;
}
