/**
 * Embeds the starter application into the CLI, with the present schema of `@framework/auth` as its first migration:
 * `deno task templates`.
 *
 * @module
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { writeSchemaCopies } from "./schema_copies.ts";

const templates = new URL("../cli/templates/", import.meta.url);

/** The starter's folder. */
export const starterFolder: string = fileURLToPath(new URL("starter", templates));

/** The module that {@linkcode embedFiles} makes of it. */
export const starterModule: string = fileURLToPath(new URL("starter_files.ts", templates));

/**
 * Names under which files of the starter are stored. Under their own they would act on this repository: git
 * would ignore files, Deno would take folders for packages.
 */
const WRITTEN_NAMES: Record<string, string> = {
  "_gitignore": ".gitignore",
  "_dev.vars.example": ".dev.vars.example",
  "_package.json": "package.json",
  "_deno.json": "deno.json",
  "_tsconfig.json": "tsconfig.json",
  "_npmrc": ".npmrc",
};

/**
 * The path that a stored file is written to.
 *
 * @param stored Path inside the starter's folder, with forward slashes.
 * @throws {Error} For a name that begins with an underscore and is not in the list: it would be written under
 * a name that no tool looks for. Folders may begin with one (`app/_components`).
 */
export function writtenPath(stored: string): string {
  const folders = stored.split("/");
  const name = folders.pop() ?? "";
  if (!name.startsWith("_")) return stored;
  const written = Object.hasOwn(WRITTEN_NAMES, name) ? WRITTEN_NAMES[name] : undefined;
  if (written === undefined) throw new Error(`no written name is known for the template ${stored}`);
  return [...folders, written].join("/");
}

/**
 * Makes the module's source from a folder. The same folder gives the same text.
 *
 * @param folder Absolute path.
 * @throws {Error} For a file that is not UTF-8 text.
 */
export async function embedFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const embedded = await Promise.all(files.map(async (file): Promise<[string, string]> => {
    const stored = relative(folder, file).split(sep).join("/");
    try {
      return [writtenPath(stored), decoder.decode(await readFile(file))];
    } catch (cause) {
      throw new Error(`The template ${stored} cannot be embedded`, { cause });
    }
  }));
  embedded.sort(([a], [b]) => a < b ? -1 : 1);
  const lines = embedded.map(([path, text]) =>
    `  ${JSON.stringify(path)}: ${JSON.stringify(text)},\n`
  );
  return "// Made by `deno task templates` from cli/templates/starter. Do not edit.\n" +
    "/** The starter application: path to text, placeholders not filled in. */\n" +
    `export const starterFiles: Record<string, string> = {\n${lines.join("")}};\n`;
}

if (import.meta.main) {
  await writeSchemaCopies();
  await writeFile(starterModule, await embedFiles(starterFolder));
}
