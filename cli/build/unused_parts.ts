import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { EsbuildResult } from "../tools/bundler_and_emulator.ts";
import type { BundleRequest } from "./protocol.ts";

/**
 * Parts of the runtime that a worker has no code for when nothing in it can use them: the constant of the runtime that
 * leaves each out, and the names by one of which code uses it.
 */
const PARTS: Readonly<Record<string, RegExp>> = {
  FRAMEWORK_WITHOUT_COOKIES: /\b(?:cookies|flash)\b/,
  // Of `context.db`: the query builder is two fifths of a worker that has it.
  FRAMEWORK_WITHOUT_DATABASE: /\bdb\b/,
};

/** Packages of every worker. What they mention of the context's properties is no use of them. */
const known = /[\\/]node_modules[\\/](?:@framework[\\/](?:auth|cli)|hono|kysely|preact)[\\/]/;

/**
 * Constants that leave out of a worker what no code of it can use. The application and its packages, wherever they come
 * from, have to name `cookies`, `flash` or `db` to use them; authentication is in `app/auth`.
 *
 * @param metafile Description of the bundled worker.
 * @returns Constants for esbuild's `define`; empty when everything is used.
 */
export async function unusedParts(
  { inputs }: EsbuildResult["metafile"],
  { root, hasAuth }: Pick<BundleRequest, "root" | "hasAuth">,
): Promise<Record<string, "true">> {
  const files = Object.keys(inputs).map((path) => resolve(root, path));
  const texts = await Promise.all(
    files.filter((file) => !known.test(file))
      // A module without a file is made of a stylesheet.
      .map(async (file) => await readFile(file, "utf8").catch(() => "")),
  );
  const unused = Object.entries(PARTS)
    .filter(([, names]) => !texts.some((text) => names.test(text)))
    .map(([constant]) => constant);
  if (!hasAuth) unused.push("FRAMEWORK_WITHOUT_AUTH");
  return Object.fromEntries(unused.map((constant) => [constant, "true" as const]));
}
