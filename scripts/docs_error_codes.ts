/**
 * Entries of `docs/error_codes.md`: one heading for each code of an error, with a line of facts, what happened, and what
 * to do.
 *
 * @module
 */

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
