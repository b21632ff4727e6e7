/**
 * Entries of `docs/error_codes.md`: one heading for each code of an error, with a line of facts, what happened, and what
 * to do.
 *
 * @module
 */

import { posix } from "node:path";
import { entryNames } from "./docs_reference.ts";
import { rewriteLinks } from "./markdown_links.ts";
import type { Workspace } from "./workspace.ts";

/** An entry of the list of error codes. */
export interface ErrorCode {
  code: string;
  /** The heading of the second level above it. */
  group: string;
  /** The first paragraph: class, status, and where more is said. */
  facts: string;
  /** Classes that have this code, each with the entry that exports it. */
  classes: { name: string; entry: string }[];
  /** Status of the response; null for an error without one. */
  status: number | null;
  /** Markdown of what happened. */
  happened: string;
  /** Markdown of what to do: a list. */
  advice: string;
}

/**
 * Reads the entries of the document.
 *
 * @throws {Error} When an entry lacks one of its parts.
 */
export function readErrorCodes(document: string): ErrorCode[] {
  return document.split(/^## /m).slice(1).flatMap((part) => {
    const [head = "", ...entries] = part.split(/^### /m);
    const group = head.split("\n", 1)[0]!;
    return entries.map((entry) => readEntry(entry, group));
  });
}

function readEntry(entry: string, group: string): ErrorCode {
  const [, code, facts, happened, advice] =
    /^([A-Z_]+)\n\n([^]+?)\n\n([^]+?)\n\n(- \*\*[^]+)$/.exec(entry.trimEnd()) ?? [];
  if (code === undefined) throw new Error(`Cannot read the entry of ${entry.split("\n", 1)[0]}.`);
  const classes = [...facts!.matchAll(/`(\w+Error)` of\s+`(@[\w/-]+)`/g)]
    .map(([, name, from]) => ({ name: name!, entry: from! }));
  const status = /\bstatus (\d{3})\b/.exec(facts!)?.[1];
  return {
    code,
    group,
    facts: facts!,
    classes,
    status: status === undefined ? null : Number(status),
    happened: happened!,
    advice: advice!,
  };
}

/** Path of a code's document in the repository, if it were there. */
export function codeFile(code: string): string {
  return `errors/${code}.md`;
}

/** Markdown of the list: a table for each group, whose links lead to the pages of the codes. */
export function listCodes(codes: readonly ErrorCode[]): string {
  const groups = [...new Set(codes.map(({ group }) => group))];
  return groups.map((title) => {
    const rows = codes.filter(({ group }) => group === title).map(({ code, status, happened }) =>
      `| [\`${code}\`](../${codeFile(code)}) | ${status ?? ""} | ${firstSentence(happened)} |`
    );
    return [`## ${title}`, "", "| code | status | what happened |", "| - | - | - |", ...rows]
      .join("\n");
  }).join("\n\n") + "\n";
}

/** First sentence of a paragraph, for a cell of a table. */
function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return (/^.*?[^.]\.(?= |$)/.exec(line)?.[0] ?? line).replaceAll("|", "\\|");
}

/**
 * Makes a document for each code.
 *
 * @param workspace The packages, whose entries export the classes.
 * @param reference Paths of the pages of the reference, relative to its folder.
 */
export function codePages(
  codes: readonly ErrorCode[],
  workspace: Pick<Workspace, "members">,
  reference: ReadonlySet<string>,
): { file: string; page: string; covers: string; text: string }[] {
  const entries = entryNames(workspace);
  const files = new Map([...entries].map(([file, name]) => [name, file]));

  function linkClass(facts: string): string {
    return facts.replace(/`(\w+Error)` of(\s+)`(@[\w/-]+)`/g, (words, name, space, entry) => {
      const page = `${files.get(entry)}/~/${name}.html`;
      if (!reference.has(page)) return words;
      return `[\`${name}\`](../reference/${page}) of${space}\`${entry}\``;
    });
  }

  return codes.map(({ code, facts, happened, advice }) => ({
    file: codeFile(code),
    page: `errors/${code}.html`,
    covers: firstSentence(happened),
    text: [
      `# ${code}`,
      `${linkClass(fromHere(facts))}`,
      "## What happened",
      fromHere(happened),
      "## What to do",
      fromHere(advice),
      "[All error codes](../docs/error_codes.md)",
    ].join("\n\n") + "\n",
  }));
}

/** Text of the list in `docs/`, with links for a page in `errors/`. */
function fromHere(text: string): string {
  return rewriteLinks(
    text,
    (address) => /^[a-z]+:/.test(address) ? address : posix.join("../docs", address),
  );
}
