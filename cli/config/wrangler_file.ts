import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseJsonc } from "../tools/jsonc.ts";

/**
 * Finds the platform file of a project, in wrangler's own order, so that both tools read the same
 * file.
 *
 * @param root Absolute path of the project.
 * @returns The file that exists, else the path of the one that `init` writes.
 *
 * @example
 * ```ts
 * import { findPlatformFile } from "@framework/cli/project";
 * import { equal } from "node:assert/strict";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * // Where there is none yet, it is the one that init writes.
 * const root = join(tmpdir(), "no-such-project");
 * equal(findPlatformFile(root), join(root, "wrangler.jsonc"));
 * ```
 */
export function findPlatformFile(root: string): string {
  const json = join(root, "wrangler.json");
  return existsSync(json) ? json : join(root, "wrangler.jsonc");
}

/** Databases of the platform file, as `loadConfig()` needs them. */
export interface DeclaredDatabases {
  /** Bindings of the top level and of every environment; undefined when the file cannot be read. */
  bindings: string[] | undefined;
  /** Absolute path of the `migrations_dir` that the top level declares for the database. */
  migrationsDir: string | undefined;
}

type Section = { ["d1_databases"]?: unknown; env?: unknown } | null;
type Entry = { binding?: unknown; ["migrations_dir"]?: unknown } | null;

/**
 * Reads the databases that the platform file declares. For a missing or invalid file the result is
 * empty; `readPlatform` reports the error.
 *
 * @param platformFile Absolute path of the platform's file.
 * @param binding Binding of the application's database.
 */
export function declaredDatabases(platformFile: string, binding: string): DeclaredDatabases {
  let document: Section;
  try {
    document = parseJsonc(readFileSync(platformFile, "utf8")).value as Section;
  } catch {
    return { bindings: undefined, migrationsDir: undefined };
  }
  const environments = Object.values(Object(document?.env)) as Section[];
  const own = entriesOf(document);
  const folder = own.find((entry) => entry?.binding === binding)?.["migrations_dir"];
  return {
    bindings: [own, ...environments.map(entriesOf)].flat()
      .flatMap((entry) => typeof entry?.binding === "string" ? [entry.binding] : []),
    // Relative to that file, as wrangler resolves it.
    migrationsDir: typeof folder === "string" ? resolve(dirname(platformFile), folder) : undefined,
  };
}

function entriesOf(section: Section): Entry[] {
  const databases = section?.["d1_databases"];
  return Array.isArray(databases) ? databases : [];
}
