import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { isNamedModule } from "./file_convention.ts";

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
 */
export async function scanBackground(appDir: string): Promise<BackgroundFiles> {
  const [queues, objects, cron] = await Promise.all(
    ["queues", "objects", "cron"].map((folder) => readModules(join(appDir, folder))),
  );
  return {
    queues: Object.fromEntries(queues!.map((file) => [basename(file, ".ts"), file])),
    objects: objects!,
    cron: cron!,
  };
}

async function readModules(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && isNamedModule(entry.name))
    .filter(({ name }) => name !== "route.ts" && name !== "middleware.ts")
    .map(({ name }) => join(folder, name))
    .sort();
}
