/**
 * The documents of the site: those of the repository, and those that are made of its sources.
 *
 * @module
 */

import { join, posix } from "node:path";
import { codePages, listCodes, readErrorCodes } from "./docs_error_codes.ts";
import { galleryText } from "./docs_pictures.ts";
import { listFiles, repositoryRoot, type Workspace } from "./workspace.ts";

/** A document and where its page is: all paths with forward slashes. */
export interface Source {
  /** Its path in the repository, which its links are relative to. */
  file: string;
  page: string;
  /** Name in the navigation; by default its first heading. */
  name?: string;
  /** Its subject, in some words. Default: its first sentence. */
  covers?: string;
  /** Its Markdown, where that is made and not read. */
  text?: string;
}

/** Documents with a heading of the navigation. */
export interface Group {
  title: string;
  sources: Source[];
}

/** All documents of the site. */
export interface Sources {
  /** Those of the navigation. */
  groups: Group[];
  /** A page for each error code, which their list leads to. */
  codes: Source[];
}

/** Path of the list of error codes. */
export const CODES_FILE = "docs/error_codes.md";

/** Path of the search page's document, which has no Markdown. */
export const SEARCH_FILE = "search";

/** Path of the gallery's document. */
export const GALLERY_FILE = "pictures.md";

/**
 * Finds the documents of the site.
 *
 * @param reference Paths of the reference's pages below its folder.
 * @param options `pictures`: true when there are pictures for the gallery. Default false.
 */
export async function findSources(
  workspace: Workspace,
  reference: ReadonlySet<string>,
  { pictures = false }: { pictures?: boolean } = {},
): Promise<Sources> {
  const packages = workspace.members.map(({ folder, name }) => ({
    file: `${folder}/README.md`,
    page: `${folder}/index.html`,
    name,
  }));
  const codes = readErrorCodes(await readDocument(CODES_FILE));
  const intro = (await readDocument(CODES_FILE)).split(/^## /m)[0]!;
  const gallery: Source = {
    file: GALLERY_FILE,
    page: "pictures.html",
    covers: "the built-in pages: sign-in, account, team, administration",
    text: galleryText(),
  };
  const [begin, ...guides] = await readGuides();
  const groups: Group[] = [
    {
      title: begin!.title,
      sources: [
        { file: "README.md", page: "index.html", name: "Overview" },
        { file: SEARCH_FILE, page: "search.html", name: "Search", covers: "words of all pages" },
        {
          file: "docs/README.md",
          page: "docs/index.html",
          name: "All guides",
          covers: "each with what it covers",
        },
        ...begin!.sources,
        ...pictures ? [gallery] : [],
      ],
    },
    ...guides,
    {
      title: "Packages",
      sources: [...packages, {
        file: "reference.md",
        page: "reference.html",
        name: "Reference",
        covers: "every entry of the packages, with all symbols",
        text: await listEntries(workspace),
      }],
    },
    {
      title: "Project",
      sources: [
        { file: "SECURITY.md", page: "security.html", covers: "promises, with their tests" },
        { file: "CHANGELOG.md", page: "changelog.html", covers: "what changed" },
        { file: "CONTRIBUTING.md", page: "contributing.html", covers: "how the repository works" },
      ],
    },
  ];
  const list = groups.flatMap(({ sources }) => sources).find(({ file }) => file === CODES_FILE)!;
  list.text = intro + listCodes(codes);
  return { groups, codes: codePages(codes, workspace, reference) };
}

/** The guides, by the headings of their list, in its order and with what it says of them. */
async function readGuides(): Promise<Group[]> {
  const list = await readDocument("docs/README.md");
  const groups = list.split(/^## /m).slice(1).map((part) => ({
    title: part.split("\n", 1)[0]!,
    sources: [...part.matchAll(/^\| \[[^\]]+\]\((\w+)\.md\)\s*\| (.*?)\s*\|$/gm)]
      .map(([, name, covers]) => ({
        file: `docs/${name}.md`,
        page: `docs/${name}.html`,
        covers: covers!,
      })),
  }));
  const listed = groups.flatMap(({ sources }) => sources.map(({ file }) => file));
  const missing = (await listFiles(join(repositoryRoot, "docs")))
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .filter((file) => !listed.includes(`docs/${file}`));
  if (missing.length > 0) throw new Error(`docs/README.md does not list ${missing.join(", ")}.`);
  return groups;
}

/** Reads a document of the repository. */
export function readDocument(file: string): Promise<string> {
  return Deno.readTextFile(join(repositoryRoot, file));
}

/** The list of all entries, each with its first sentence. */
async function listEntries(workspace: Workspace): Promise<string> {
  const lines = ["# Reference", "", "[All symbols](reference/all_symbols.html)"];
  for (const { exports, folder, name, path } of workspace.members) {
    lines.push("", `## ${name}`, "", "| entry | what is in it |", "| - | - |");
    for (const [entry, file] of Object.entries(exports)) {
      const source = await Deno.readTextFile(join(path, file));
      const page = posix.join("reference", folder, file);
      const covers = entrySentence(source, page).replaceAll("|", "\\|");
      lines.push(`| [\`${name}${entry.slice(1)}\`](${page}/index.html) | ${covers} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/**
 * The first sentence of an entry's docstring, as Markdown.
 *
 * @param page Address of the entry in the reference, below which its symbols have their pages.
 */
export function entrySentence(source: string, page: string): string {
  const words = (/\/\*\*([^]*?)\*\//.exec(source)?.[1] ?? "").replace(/^\s*\* ?/gm, "")
    .trim().split(/\n\s*\n|\n@/)[0]!.replace(/\s+/g, " ");
  const sentence = /^[^]*?\.(?=\s|$)/.exec(words)?.[0] ?? words;
  return sentence.replace(/\{@linkcode (\w+)\}/g, `[\`$1\`](${page}/~/$1.html)`);
}
