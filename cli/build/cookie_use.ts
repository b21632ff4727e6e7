import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { EsbuildResult } from "../tools/bundler_and_emulator.ts";

/** Packages of every worker. What they mention of cookies is no use of `context.cookies`. */
const known = /[\\/]node_modules[\\/](?:@framework[\\/](?:auth|cli)|hono|kysely|preact)[\\/]/;

/**
 * Tells if any code of a worker can use `context.cookies` or `context.flash`: that of the application
 * and of its packages, wherever it comes from, has to name them. Without either, the worker is built
 * without their code.
 *
 * @param metafile Description of the bundled worker.
 * @param root Absolute path of the project.
 */
export async function usesCookies(
  { inputs }: EsbuildResult["metafile"],
  root: string,
): Promise<boolean> {
  const files = Object.keys(inputs).map((path) => resolve(root, path));
  const texts = files.filter((file) => !known.test(file))
    // A module without a file is made of a stylesheet.
    .map(async (file) => await readFile(file, "utf8").catch(() => ""));
  return (await Promise.all(texts)).some((text) => /\b(?:cookies|flash)\b/.test(text));
}
