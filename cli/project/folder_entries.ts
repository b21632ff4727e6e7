import { type Dirent, readdirSync } from "node:fs";

/** Lists a folder; the same list each time, which is not to be changed. */
export type FolderEntries = (path: string) => readonly Dirent[];

/**
 * Makes a view of folders as they are now, for everything that one scan of them asks. Synchronous: of a thousand folders
 * each takes microseconds, and a thousand promises take more than all of them.
 */
export function createFolderEntries(): FolderEntries {
  const known = new Map<string, readonly Dirent[]>();
  return (path) => {
    const entries = known.get(path) ?? readdirSync(path, { withFileTypes: true });
    known.set(path, entries);
    return entries;
  };
}

/** The entries of a folder that may be missing. */
export function entriesIfAny(entries: FolderEntries, path: string): readonly Dirent[] {
  try {
    return entries(path);
  } catch {
    return [];
  }
}
