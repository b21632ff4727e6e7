import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseJsonc } from "./jsonc.ts";

/**
 * The platform's file of a project. The order is wrangler's own, so that both tools read the same file.
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

/**
 * The `migrations_dir` that the platform's file declares for a database, relative to that file, as wrangler
 * reads it. A file that is missing or wrong declares none here; `readPlatform` reports what is wrong.
 *
 * @param platformFile Absolute path of the platform's file.
 * @param binding Binding of the database.
 */
export function declaredMigrationsDir(platformFile: string, binding: string): string | undefined {
  let document: unknown;
  try {
    document = parseJsonc(readFileSync(platformFile, "utf8")).value;
  } catch {
    return undefined;
  }
  const databases = (document as { ["d1_databases"]?: unknown } | null)?.["d1_databases"];
  if (!Array.isArray(databases)) return undefined;
  for (const entry of databases as ({ binding?: unknown; ["migrations_dir"]?: unknown } | null)[]) {
    const folder = entry?.["migrations_dir"];
    if (entry?.binding === binding && typeof folder === "string") {
      return resolve(dirname(platformFile), folder);
    }
  }
  return undefined;
}
