/**
 * Targets of the documents' links on the site.
 *
 * @module
 */

import { posix } from "node:path";
import { CODES_FILE, type Source, type Sources } from "./docs_sources.ts";

/** The page of each document by its path in the repository, and of each error code by its heading in their list. */
export type Addresses = ReadonlyMap<string, string>;

/** All documents: those of the navigation, then the pages of error codes. */
export function allSources({ groups, codes }: Sources): Source[] {
  return [...groups.flatMap(({ sources }) => sources), ...codes];
}

/** Finds the page of each document. */
export function pageAddresses(sources: Sources): Addresses {
  return new Map([
    ...allSources(sources).map(({ file, page }) => [file, page] as const),
    ...sources.codes.map(({ page }) =>
      [`${CODES_FILE}#${posix.basename(page, ".html").toLowerCase()}`, page] as const
    ),
  ]);
}

/** The relative address of a page on another one. */
export function addressFrom(page: string, target: string): string {
  return posix.relative(posix.dirname(page), target);
}

/**
 * Finds what a link of a document leads to.
 *
 * @returns The page and the heading; `isDocument` is false for a page of the reference. Null for an address elsewhere, and
 * for a heading of the document itself.
 * @throws {Error} When the link leads to a file that has no page.
 */
export function findPage(
  address: string,
  source: Source,
  addresses: Addresses,
): { page: string; heading?: string; isDocument: boolean } | null {
  if (/^[a-z]+:/.test(address) || address.startsWith("#")) return null;
  const file = posix.join(posix.dirname(source.file), address);
  // The reference is there already.
  if (file.startsWith("reference/")) return { page: file, isDocument: false };
  const own = addresses.get(file);
  if (own !== undefined) return { page: own, isDocument: true };
  const [path = "", heading] = file.split("#");
  const page = addresses.get(path);
  if (page === undefined) throw new Error(`${source.file} links to ${path}, which has no page.`);
  return { page, isDocument: true, ...(heading === undefined ? {} : { heading }) };
}
