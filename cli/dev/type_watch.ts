import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { writeTypes } from "../app/types.ts";
import type { ProjectConfig } from "../config/load.ts";
import { contains } from "../tools/paths.ts";
import { createWatcher } from "./watcher.ts";

/** A running rewriter of the generated types. */
export interface TypeWatch {
  /** Follows the files of a changed configuration. */
  update(config: ProjectConfig): void;
  close(): void;
}

/**
 * Rewrites the generated types when files are added, removed or renamed, and when migrations, the
 * platform file, secrets, CSS modules, durable objects or queues change. The first save of each other file does so
 * too, later ones do not: what a page contains is no part of the types.
 *
 * @param config The project.
 * @param onProblem Called with what makes types impossible, such as two files for one path; the last
 * types stay.
 * @param onMigrations Called when files of migrations have changed. Default: nothing.
 */
export function watchTypes(
  config: ProjectConfig,
  onProblem: (error: unknown) => void,
  onMigrations: () => void = () => {},
): TypeWatch {
  const known = new Set<string>();
  let written = Promise.resolve();

  function concerns(path: string): boolean {
    const { appDir } = config;
    const isContent = contains(appDir, path) && known.has(path) && isFile(path) &&
      !path.endsWith(".module.css") &&
      !["objects", "queues"].some((name) => contains(join(appDir, name), path));
    known.add(path);
    return !isContent;
  }

  const watcher = createWatcher({
    onChange(paths) {
      if ([...paths].some((path) => contains(config.migrationsDir, path))) onMigrations();
      if ([...paths].filter(concerns).length === 0) return;
      written = written.then(async () => void await writeTypes(config)).catch(onProblem);
    },
  });

  function update(next: ProjectConfig): void {
    config = next;
    const { root, appDir, migrationsDir, platformFile } = config;
    watcher.update({
      folders: [appDir, migrationsDir],
      root,
      names: [
        ...[appDir, migrationsDir, platformFile].map((path) => basename(path)),
        ".dev.vars",
        ".dev.vars.example",
      ],
    });
  }

  update(config);
  return { update, close: () => watcher.close() };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
