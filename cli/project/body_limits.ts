import { wrongBodyLimit } from "../runtime/body_limit.ts";
import { readExportedTexts } from "../source/exported_literal.ts";

/** Whether a file exports a limit for bodies, which its text decides, and what is wrong with it. */
export interface ReadBodyLimit {
  /** The limit as it is written; null when it cannot be read without running the file. */
  limit: string | null;
  /** A sentence without the file's name; null when nothing is wrong. */
  problem: string | null;
}

/**
 * Reads the `bodyLimit` that a page or route exports, without running it, so that a build can refuse what is none.
 *
 * @param source Text of the file, of which is known that it exports the name.
 * @param file Its name.
 */
export function readExportedLimit(source: string, file: string): ReadBodyLimit {
  const [limit = null, ...others] =
    readExportedTexts(source, "bodyLimit", { jsx: file.endsWith(".tsx") }) ?? [];
  if (limit === null || others.length > 0) {
    const problem = "exports a bodyLimit that cannot be read without running it: " +
      'write it out, export const bodyLimit = "50 MB"';
    return { limit: null, problem };
  }
  return { limit, problem: wrongBodyLimit(limit) };
}
