import { readFile } from "node:fs/promises";
import { hasAuth } from "../app/entry.ts";
import type { AppScan } from "../app/scan.ts";
import { sourceFiles } from "../app/source_files.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import { displayPath } from "../tools/paths.ts";

/** Operations of `@framework/auth` that ask who is signed in, and need `app/auth` for it. */
const ASKING =
  /\b(?:authMiddleware|get(?:Actor|Session|Tenant|User)|hasPermission|hasRole|isAuthenticated|require(?:Auth|Member|Permission|RecentAuth|Role|SecondFactor)|startSession)\b/;
const IMPORT =
  /^import\s+\{([^}]*)\}\s*from\s*["']@framework\/auth(?:\/(?:middleware|tenant))?["']/gm;

/**
 * Finds the files that ask who is signed in, of an application without `app/auth`: nobody is, and what needs a user throws
 * when a page is asked for.
 *
 * @returns A warning for each file; none for an application that sets authentication up by itself.
 */
export async function findAuthUses(
  { root, appDir }: Pick<ProjectConfig, "root" | "appDir">,
  scan: Pick<AppScan, "auth">,
): Promise<Diagnostic[]> {
  if (hasAuth(scan.auth)) return [];
  const found: Diagnostic[] = [];
  for (const file of sourceFiles(appDir).sort()) {
    const text = await readFile(file, "utf8");
    if (/\bcreateAuth\b/.test(text)) return [];
    for (const { 1: names, index } of text.matchAll(IMPORT)) {
      const [operation] = ASKING.exec(names!) ?? [];
      if (operation === undefined) continue;
      const at = index + text.slice(index).search(ASKING);
      const before = text.slice(0, at).split("\n");
      const line = before.length;
      found.push({
        message: `${operation} asks who is signed in, and this application has no app/auth.`,
        file: displayPath(root, file),
        line,
        column: before.at(-1)!.length + 1,
        length: operation.length,
        lineText: text.split("\n")[line - 1]!,
        notes: ["Run `framework generate auth`, which writes one."],
      });
    }
  }
  return found;
}
