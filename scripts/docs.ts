/**
 * Builds the documentation as a static site: the documents of the repository as pages, and the
 * reference of every public symbol by `deno doc`.
 *
 * Usage: `deno task docs [--output FOLDER]`
 *
 * @module
 */

import { dirname, join, posix } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Page, renderPage, stylesheet } from "./docs_page.ts";
import { buildReference } from "./docs_reference.ts";
import { buildSearch, searchPage } from "./docs_search.ts";
import { renderMarkdown } from "./markdown.ts";
import { listFiles, readWorkspace, repositoryRoot, type Workspace } from "./workspace.ts";

/** A document and where its page is: both paths with forward slashes. */
interface Source {
  file: string;
  page: string;
  /** Name in the navigation; by default its first heading. */
  name?: string;
}

// Made here, of what the entries say of themselves; the pages behind it are those of deno doc.
const reference: Source = { file: "reference", page: "reference.html", name: "Reference" };

const search: Source = { file: "search", page: "search.html", name: "Search" };

async function findSources(workspace: Workspace): Promise<{ title: string; sources: Source[] }[]> {
  const guides = await readGuideOrder();
  const packages = workspace.members.map(({ folder, name }) => ({
    file: `${folder}/README.md`,
    page: `${folder}/index.html`,
    name,
  }));
  return [
    {
      title: "Begin",
      sources: [{ file: "README.md", page: "index.html", name: "Overview" }, search],
    },
    { title: "Guides", sources: guides },
    {
      title: "Packages",
      sources: [...packages, reference],
    },
    {
      title: "Project",
      sources: [
        { file: "SECURITY.md", page: "security.html" },
        { file: "CHANGELOG.md", page: "changelog.html" },
        { file: "CONTRIBUTING.md", page: "contributing.html" },
      ],
    },
  ];
}

/** The guides, in the order of their list. */
async function readGuideOrder(): Promise<Source[]> {
  const list = await Deno.readTextFile(join(repositoryRoot, "docs", "README.md"));
  const listed = [...list.matchAll(/\]\((\w+)\.md\)/g)].map(([, name]) => name!);
  const there = await listFiles(join(repositoryRoot, "docs"));
  const missing = there.filter((file) => file.endsWith(".md") && file !== "README.md")
    .filter((file) => !listed.includes(file.replace(/\.md$/, "")));
  if (missing.length > 0) throw new Error(`docs/README.md does not list ${missing.join(", ")}.`);
  return [
    { file: "docs/README.md", page: "docs/index.html", name: "All guides" },
    ...listed.map((name) => ({ file: `docs/${name}.md`, page: `docs/${name}.html` })),
  ];
}

/**
 * Builds the site.
 *
 * @param output Absolute path of a folder; what a build left there before is replaced.
 * @returns Paths of the pages below it, without those of the reference.
 * @throws {Error} when a document links to a file that has no page.
 */
export async function buildDocs(output: string): Promise<string[]> {
  const workspace = await readWorkspace();
  const groups = await findSources(workspace);
  await Deno.remove(output, { recursive: true }).catch(() => {});
  await Deno.mkdir(output, { recursive: true });
  await Deno.writeTextFile(join(output, "style.css"), stylesheet);
  await buildReference(workspace, join(output, "reference"));

  const sources = groups.flatMap((group) => group.sources);
  const pages = new Map(sources.map(({ file, page }) => [file, page]));
  const written: { source: Source; page: Page["content"] }[] = [];
  for (const source of sources) {
    if (source === search) {
      const page = { title: "Search", sections: [], html: searchPage, parts: [] };
      written.push({ source, page });
      continue;
    }
    const text = source === reference
      ? await listEntries(workspace)
      : await Deno.readTextFile(join(repositoryRoot, source.file));
    const page = renderMarkdown(text, (address) => rewrite(address, source, pages));
    written.push({ source, page });
  }
  const titles = new Map(written.map(({ source, page }) => [source.file, page.title]));
  const parts = written.flatMap(({ source, page }) =>
    page.parts.map(({ anchor, ...part }) => ({
      id: `${source.page}#${anchor}`,
      page: source.name ?? page.title,
      ...part,
    }))
  );
  await Deno.writeTextFile(join(output, "search.js"), await buildSearch(parts));
  for (const { source, page } of written) {
    const html = renderPage({
      content: page,
      home: addressFrom(source.page, "index.html"),
      search: source === search ? null : addressFrom(source.page, search.page),
      stylesheet: addressFrom(source.page, "style.css"),
      version: workspace.members[0]!.version,
      navigation: groups.map(({ title, sources }) => ({
        title,
        links: sources.map((other) => ({
          title: other.name ?? titles.get(other.file)!,
          address: addressFrom(source.page, other.page),
          current: other === source,
        })),
      })),
    });
    await Deno.mkdir(dirname(join(output, source.page)), { recursive: true });
    await Deno.writeTextFile(join(output, source.page), html);
  }
  return written.map(({ source }) => source.page);
}

/** The list of all entries, each with its first sentence. */
async function listEntries(workspace: Workspace): Promise<string> {
  const lines = ["# Reference", "", "[All symbols](reference/all_symbols.html)"];
  for (const { exports, folder, name, path } of workspace.members) {
    lines.push("", `## ${name}`, "", "| entry | what is in it |", "| - | - |");
    for (const [entry, file] of Object.entries(exports)) {
      const source = await Deno.readTextFile(join(path, file));
      const words = (/\/\*\*([^]*?)\*\//.exec(source)?.[1] ?? "").replace(/^\s*\* ?/gm, "")
        .trim().split(/\n\s*\n|\n@/)[0]!.replace(/\s+/g, " ");
      const sentence = /^[^]*?\.(?=\s|$)/.exec(words)?.[0] ?? words;
      const page = posix.join("reference", folder, file, "index.html");
      lines.push(
        `| [\`${name}${entry.slice(1)}\`](${page}) | ${sentence.replaceAll("|", "\\|")} |`,
      );
    }
  }
  return lines.join("\n");
}

function addressFrom(page: string, target: string): string {
  return posix.relative(posix.dirname(page), target);
}

function rewrite(address: string, source: Source, pages: Map<string, string>): string {
  if (/^[a-z]+:/.test(address) || address.startsWith("#")) return address;
  if (source === reference) return addressFrom(source.page, address);
  const [path = "", heading] = address.split("#");
  const file = posix.join(posix.dirname(source.file), path);
  const page = pages.get(file);
  if (page === undefined) throw new Error(`${source.file} links to ${file}, which has no page.`);
  return addressFrom(source.page, page) + (heading === undefined ? "" : `#${heading}`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { output: { type: "string" } } });
  try {
    const output = values.output ?? join(repositoryRoot, "site");
    const pages = await buildDocs(output);
    process.stdout.write(`${pages.length} pages and the reference in ${output}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    Deno.exit(1);
  }
}
