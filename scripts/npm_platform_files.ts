/**
 * Lets the packed files find those of their platform: `imports` of package.json has conditions, JSR has none.
 *
 * @module
 */

import { join, posix } from "node:path";
import type { PlatformFiles } from "./npm_manifest.ts";
import { exists, listFiles } from "./workspace.ts";

/**
 * Writes the name of an import in place of the path of its default file, in every packed script.
 *
 * @param folder Absolute path of an unpacked package.
 * @param imports Name → condition → packed file.
 * @throws {Error} when one of the files is not packed, or nothing imports the default one.
 */
export async function usePlatformFiles(
  folder: string,
  imports: Record<string, PlatformFiles>,
): Promise<void> {
  const scripts = (await listFiles(folder)).filter((file) => file.endsWith(".js"));
  for (const [name, files] of Object.entries(imports)) {
    for (const file of Object.values(files)) {
      if (!await exists(join(folder, file))) {
        throw new Error(`"${name}" names ${file}, which is not packed.`);
      }
    }
    const renamed = await Promise.all(
      scripts.map((script) => renameImport(folder, script, { name, target: files.default })),
    );
    if (!renamed.includes(true)) {
      throw new Error(`Nothing imports ${files.default}, which "${name}" names.`);
    }
  }
}

async function renameImport(
  folder: string,
  script: string,
  { name, target }: { name: string; target: string },
): Promise<boolean> {
  const path = posix.relative(posix.dirname(script), target);
  const specifier = path.startsWith(".") ? path : `./${path}`;
  const text = await Deno.readTextFile(join(folder, script));
  const renamed = text.replaceAll(`from "${specifier}"`, `from "${name}"`);
  if (renamed === text) return false;
  await Deno.writeTextFile(join(folder, script), renamed);
  return true;
}
