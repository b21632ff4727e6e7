/**
 * The documentation for programs that read: the Markdown of each page beside it, and `llms.txt` and `llms-full.txt` as
 * https://llmstxt.org has them.
 *
 * @module
 */

import { dirname, join, posix } from "node:path";
import { type Addresses, addressFrom, findPage } from "./docs_addresses.ts";
import {
  type Group,
  readDocument,
  SEARCH_FILE,
  type Source,
  type Sources,
} from "./docs_sources.ts";
import { rewriteLinks } from "./markdown_links.ts";

/** A document with its Markdown. */
export interface Text {
  source: Source;
  title: string;
  text: string;
}

/** Address of a page's Markdown. */
export function markdownPage(page: string): string {
  return page.replace(/\.html$/, ".md");
}

/**
 * Writes the Markdown of every document beside its page, and the two files of llms.txt.
 *
 * @param output Absolute path of the site.
 * @param texts Markdown of all documents, as the repository has it.
 */
export async function writeMarkdown(
  output: string,
  { groups, codes }: Sources,
  texts: ReadonlyMap<string, Text>,
  addresses: Addresses,
): Promise<void> {
  for (const { source, text } of texts.values()) {
    if (source.file === SEARCH_FILE) continue;
    const path = join(output, markdownPage(source.page));
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, linked(text, source, source.page, addresses));
  }
  const index = listDocuments([...groups, { title: "Optional", sources: codes }], texts);
  await Deno.writeTextFile(join(output, "llms.txt"), index);
  const whole = groups.filter(({ title }) => title !== "Project")
    .flatMap(({ sources }) => sources)
    .filter(({ file }) => file !== SEARCH_FILE && file !== "docs/README.md");
  const parts = await Promise.all(whole.map(async (source) => {
    // The list of codes is whole here: their pages are not.
    const text = source.text === undefined || !source.file.startsWith("docs/")
      ? texts.get(source.file)!.text
      : await readDocument(source.file);
    return linked(text, source, "llms-full.txt", addresses).trim();
  }));
  await Deno.writeTextFile(join(output, "llms-full.txt"), `${parts.join("\n\n---\n\n")}\n`);
}

/** A document whose links lead to Markdown, as seen from a page. */
function linked(text: string, source: Source, from: string, addresses: Addresses): string {
  return rewriteLinks(text, (address) => {
    const isHere = address.startsWith("#") && from === source.page;
    const whole = address.startsWith("#") ? posix.basename(source.file) + address : address;
    const found = isHere ? null : findPage(whole, source, addresses);
    if (found === null) return address;
    const target = found.isDocument ? markdownPage(found.page) : found.page;
    return addressFrom(from, target) + (found.heading === undefined ? "" : `#${found.heading}`);
  });
}

/** The index: a title, a summary, and a list of links for each group. */
function listDocuments(groups: readonly Group[], texts: ReadonlyMap<string, Text>): string {
  const start = texts.get("README.md")!;
  const lines = [`# ${start.title}`, "", `> ${summaryOf(start.text)}`];
  for (const { title, sources } of groups) {
    const listed = sources.filter(({ file }) => file !== SEARCH_FILE);
    lines.push("", `## ${title}`, "");
    for (const source of listed) {
      const { title, text } = texts.get(source.file)!;
      lines.push(
        `- [${source.name ?? title}](${markdownPage(source.page)}): ${describe(source, text)}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Subject of a document, as a list says it, else the first sentence below its title. */
export function describe({ covers }: Source, text: string): string {
  return plain(covers ?? summaryOf(text).replace(/\.$/, ""));
}

function summaryOf(text: string): string {
  const paragraph = plain(text.split(/\n\s*\n/)[1] ?? "");
  return /^.*?[^.]\.(?= [A-Z]|$)/.exec(paragraph)?.[0] ?? paragraph;
}

/** Words of a paragraph on one line, without links. */
function plain(text: string): string {
  return rewriteLinks(text, () => null).replaceAll("**", "").replace(/\s+/g, " ").trim();
}
