/**
 * Refuses a package folder that would reach users broken.
 *
 * @module
 */

import { join, posix } from "node:path";
import type { Manifest } from "./npm_manifest.ts";
import { exists, listFiles } from "./workspace.ts";

/**
 * Everything that is wrong with an unpacked package, one line each; empty when it may be published.
 *
 * @param folder Absolute path of the unpacked package.
 * @param root Absolute path of the repository, which no file may mention.
 */
export async function packageProblems(
  folder: string,
  manifest: Manifest,
  root: string,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [entry, target] of Object.entries(manifest.exports)) {
    for (const file of typeof target === "string" ? [target] : Object.values(target)) {
      if (await exists(join(folder, file))) continue;
      problems.push(
        `export "${entry}" has no ${file}` +
          // deno pack drops all declarations of a package for one slow type, and says nothing.
          (file.endsWith(".d.ts") ? " (a slow type? See deno publish --dry-run)" : ""),
      );
    }
  }
  for (const [name, file] of Object.entries(manifest.bin ?? {})) {
    // npm says that it corrects an error, and what it publishes is not what was built.
    if (file.startsWith("./")) problems.push(`bin "${name}": ${file} begins with "./"`);
    const text = await Deno.readTextFile(join(folder, file)).catch(() => "");
    if (!text.startsWith("#!/usr/bin/env node\n")) {
      problems.push(`bin "${name}": ${file} does not begin with "#!/usr/bin/env node"`);
    }
  }
  const files = await listFiles(folder);
  for (const needed of ["README.md", "LICENSE"]) {
    if (!files.includes(needed)) problems.push(`${needed} is missing`);
  }
  for (const file of files) {
    if (!allowedFile.test(file) || forbiddenFile.test(file)) {
      problems.push(`${file} does not belong into a package`);
      continue;
    }
    const text = await Deno.readTextFile(join(folder, file));
    problems.push(...textProblems(file, text, root));
    // A text of the package may have the comment's words, in quotes.
    const [, map] = /(?<!["'`])\/\/# sourceMappingURL=(.*)/.exec(text) ?? [];
    if (map !== undefined && !files.includes(posix.join(posix.dirname(file), map))) {
      problems.push(`${file} refers to a source map that is not there`);
    }
    if (file.endsWith(".map")) problems.push(...mapProblems(file, JSON.parse(text)));
  }
  return problems;
}

/** A source map leads to modules of the package, and holds them: they are nowhere else in it. */
function mapProblems(
  file: string,
  { sources, sourcesContent = [] }: { sources: string[]; sourcesContent?: (string | null)[] },
): string[] {
  const isOwn = (source: string) =>
    !/^\.\.\/|(^|\/)node_modules\//.test(posix.join(posix.dirname(file), source));
  return sources.flatMap((source, index) => [
    ...(isOwn(source) ? [] : [`${file} names ${source}, which is not of the package`]),
    ...(typeof sourcesContent[index] === "string"
      ? []
      : [`${file} names ${source}, and does not hold it`]),
  ]);
}

const allowedFile = /\.(js|js\.map|d\.ts|json|md)$|^LICENSE$/;
const forbiddenFile = /[_.]test\.|^templates\/starter\//;

function textProblems(file: string, text: string, root: string): string[] {
  const problems: string[] = [];
  if (text.includes(root)) problems.push(`${file} holds a path of this machine`);
  if (!file.endsWith(".js")) return problems;
  // deno pack rewrites imports from .ts to .js, but not the addresses that code makes for itself.
  const address = /new URL\(\s*["'`](\.{1,2}\/[^"'`]+\.tsx?)["'`]/.exec(text);
  if (address) {
    problems.push(`${file} refers to ${address[1]}, which is packed as JavaScript`);
  }
  return problems;
}
