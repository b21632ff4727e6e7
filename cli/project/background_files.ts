import { basename, join } from "node:path";
import { isNamedModule } from "./file_convention.ts";
import { entriesIfAny, type FolderEntries } from "./folder_entries.ts";

/** The files that no request for a path runs. */
export interface BackgroundFiles {
  /** Absolute paths of the files of `app/queues`, by the name of the queue, which is the file's. */
  queues: Record<string, string>;
  /** Absolute paths of the files of `app/objects`. */
  objects: string[];
  /** Absolute paths of the files of `app/cron`. */
  cron: string[];
}

/**
 * Reads which queues, durable objects and cron jobs an application has. Only names are read.
 *
 * @param appDir Absolute path of the application's folder.
 * @param entries Lists folders.
 */
export function scanBackground(appDir: string, entries: FolderEntries): BackgroundFiles {
  const list = (folder: string): string[] => listModules(join(appDir, folder), entries);
  return {
    queues: Object.fromEntries(list("queues").map((file) => [basename(file, ".ts"), file])),
    objects: list("objects"),
    cron: list("cron"),
  };
}

function listModules(folder: string, entries: FolderEntries): string[] {
  return entriesIfAny(entries, folder)
    .filter((entry) => !entry.isDirectory() && isNamedModule(entry.name))
    .filter(({ name }) => name !== "route.ts" && name !== "middleware.ts")
    .map(({ name }) => join(folder, name))
    .sort();
}
