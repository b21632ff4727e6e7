/**
 * Finds which packages the files of a packed folder import, in JavaScript and in declarations.
 *
 * @module
 */

import { build, stop } from "esbuild";
import { join } from "node:path";
import { listFiles } from "./workspace.ts";

/**
 * Every specifier that is not a relative path, as it is written in the files of a folder.
 *
 * JavaScript is read by a bundler's parser, so that code in strings (templates) counts for
 * nothing, and a file that does not parse, or a relative import that leads nowhere, is an error.
 *
 * @param folder Absolute path of an unpacked package.
 * @throws {Error} when a JavaScript file does not parse or imports a file that is not packed.
 */
export async function packageSpecifiers(folder: string): Promise<string[]> {
  const files = await listFiles(folder);
  const found = new Set<string>();
  const scripts = files.filter((file) => file.endsWith(".js"));
  for (const specifier of await scriptSpecifiers(folder, scripts)) found.add(specifier);
  for (const file of files.filter((name) => name.endsWith(".d.ts"))) {
    const text = await Deno.readTextFile(join(folder, file));
    for (const specifier of declarationSpecifiers(text)) found.add(specifier);
  }
  return [...found].filter((specifier) => !/^\.{1,2}(\/|$)/.test(specifier)).sort();
}

async function scriptSpecifiers(folder: string, scripts: string[]): Promise<string[]> {
  try {
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: scripts,
      bundle: true,
      packages: "external",
      platform: "neutral",
      format: "esm",
      metafile: true,
      write: false,
      outdir: folder,
      logLevel: "silent",
    });
    return Object.values(metafile.inputs)
      .flatMap((input) => input.imports)
      .filter((imported) => imported.external)
      .map((imported) => imported.path);
  } catch (error) {
    const hint = String(error).includes("JSX")
      ? "\ndeno pack compiles JSX only where the member's own deno.json has the jsx compiler options."
      : "";
    throw new Error(`The packed JavaScript is broken. ${error}${hint}`, { cause: error });
  } finally {
    await stop();
  }
}

/** Specifiers of `import … from`, `export … from`, `import "…"` and `import("…")` in declarations. */
export function declarationSpecifiers(text: string): string[] {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|\b(?:from|import)\s*\(?\s*(?:"([^"\n]*)"|'([^'\n]*)')|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
  const found: string[] = [];
  for (const match of text.matchAll(token)) {
    const specifier = match[1] ?? match[2];
    if (specifier !== undefined) found.push(specifier);
  }
  return found;
}

/** Package name of a specifier: `"@scope/name/entry"` → `"@scope/name"`; null for `node:`, `#own` and the like. */
export function packageName(specifier: string): string | null {
  if (/^(?:[a-z]+:|#)/.test(specifier)) return null;
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]!;
}
