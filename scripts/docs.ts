/**
 * Builds the documentation as a static site: the documents of the repository as pages and as Markdown, a page for each error
 * code, and the reference of every public symbol by `deno doc`.
 *
 * Usage: `deno task docs [--output FOLDER]`; the folder of the version in it is replaced, and those of others stay.
 *
 * @module
 */

import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  type Addresses,
  addressFrom,
  allSources,
  findPage,
  pageAddresses,
} from "./docs_addresses.ts";
import { describe, markdownPage, writeMarkdown } from "./docs_markdown.ts";
import { renderPage, stylesheet } from "./docs_page.ts";
import { takePictures, withSchemes } from "./docs_pictures.ts";
import { buildReference, entryNames } from "./docs_reference.ts";
import { buildSearch, partsOf, searchPage, symbolParts } from "./docs_search.ts";
import type { SearchPart } from "./docs_search_browser.ts";
import {
  CODES_FILE,
  findSources,
  GALLERY_FILE,
  readDocument,
  SEARCH_FILE,
  type Source,
} from "./docs_sources.ts";
import { listVersion } from "./docs_versions.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";
import { listFiles, readWorkspace, repositoryRoot } from "./workspace.ts";

/** A document that is to be written. */
interface Written {
  source: Source;
  text: string;
  content: Rendered;
}

/**
 * Builds the site of this version beside those that are there.
 *
 * @param site Absolute path of a folder; what a build of this version left there before is replaced.
 * @returns The folder of the version, and paths of the pages below it, without those of the reference.
 * @throws {Error} when a document links to a file that has no page.
 */
export async function buildDocs(site: string): Promise<{ output: string; pages: string[] }> {
  const workspace = await readWorkspace();
  const { version } = workspace.members[0]!;
  const output = join(site, version);
  await Deno.remove(output, { recursive: true }).catch(() => {});
  await Deno.mkdir(output, { recursive: true });
  await Deno.writeTextFile(join(output, "style.css"), stylesheet);
  await buildReference(workspace, join(output, "reference"));

  const reference = new Set(await listFiles(join(output, "reference")));
  const pictures = await takePictures(join(output, "pictures"));
  const sources = await findSources(workspace, reference, { pictures });
  const addresses = pageAddresses(sources);
  const written: Written[] = [];
  for (const source of allSources(sources)) {
    const text = source.file === SEARCH_FILE ? "# Search\n" : await textOf(source);
    const content = renderMarkdown(text, (address) => htmlAddress(address, source, addresses));
    if (source.file === SEARCH_FILE) content.html = searchPage;
    if (source.file === GALLERY_FILE) content.html = withSchemes(content.html);
    written.push({ source, text, content });
  }
  await Deno.writeTextFile(
    join(output, "search.js"),
    await buildSearch([
      ...searchParts(written),
      ...symbolParts(reference, entryNames(workspace)),
    ]),
  );
  await writeMarkdown(
    output,
    sources,
    new Map(
      written.map(({ source, text, content: { title } }) => [source.file, { source, text, title }]),
    ),
    addresses,
  );
  const titles = new Map(written.map(({ source, content }) => [source.file, content.title]));
  const order = sources.groups.flatMap(({ sources }) => sources)
    .filter(({ file }) => file !== SEARCH_FILE);
  const linkTo = (page: string, other: Source | undefined) =>
    other === undefined ? null : {
      title: other.name ?? titles.get(other.file)!,
      address: addressFrom(page, other.page),
    };
  for (const { source, text, content } of written) {
    const place = order.indexOf(source);
    const isCode = sources.codes.includes(source);
    const html = renderPage({
      content,
      home: addressFrom(source.page, "index.html"),
      search: source.file === SEARCH_FILE ? null : addressFrom(source.page, "search.html"),
      stylesheet: addressFrom(source.page, "style.css"),
      markdown: source.file === SEARCH_FILE
        ? null
        : addressFrom(source.page, markdownPage(source.page)),
      version,
      page: source.page,
      description: describe(source, text),
      before: linkTo(source.page, place < 0 ? undefined : order[place - 1]),
      after: linkTo(source.page, place < 0 ? undefined : order[place + 1]),
      navigation: sources.groups.map(({ title, sources }) => ({
        title,
        links: sources.map((other) => ({
          title: other.name ?? titles.get(other.file)!,
          address: addressFrom(source.page, other.page),
          current: other === source ? "page" : isCode && other.file === CODES_FILE,
        })),
      })),
    });
    await Deno.mkdir(dirname(join(output, source.page)), { recursive: true });
    await Deno.writeTextFile(join(output, source.page), html);
  }
  const pages = written.map(({ source }) => source.page);
  await listVersion(site, { version, pages });
  return { output, pages };
}

async function textOf({ file, text }: Source): Promise<string> {
  return text ?? await readDocument(file);
}

function searchParts(written: Written[]): SearchPart[] {
  return written.flatMap(({ source, content }) => partsOf(source, content));
}

function htmlAddress(address: string, source: Source, addresses: Addresses): string {
  const found = findPage(address, source, addresses);
  if (found === null) return address;
  const { page, heading } = found;
  return addressFrom(source.page, page) + (heading === undefined ? "" : `#${heading}`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { output: { type: "string" } } });
  try {
    const { output, pages } = await buildDocs(values.output ?? join(repositoryRoot, "site"));
    process.stdout.write(`${pages.length} pages and the reference in ${output}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
