import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EsbuildResult } from "../tools/bundler_and_emulator.ts";
import { readsCertificates, withoutCertificates } from "./maker_certificates.ts";
import type { BundleRequest } from "./protocol.ts";
import type { BundleOptions } from "./worker_bundle.ts";

/**
 * Parts of the runtime that code can use by naming one of their names alone, and the constants of the runtime that leave
 * them out. The query builder of `context.db` is two fifths of a worker that has it.
 */
const NAMED = {
  FRAMEWORK_WITHOUT_COOKIES: /\b(?:cookies|flash)\b/,
  FRAMEWORK_WITHOUT_DATABASE: /\bdb\b/,
} as const;

/** A part that a worker has no code for when nothing in it can use it. */
type Part = keyof typeof NAMED | "FRAMEWORK_WITHOUT_AUTH" | "certificates";

type Asked = Pick<BundleRequest, "root" | "appDir" | "hasAuth">;

/** Packages of every worker. What they mention of the context's properties is no use of them. */
const known = /[\\/]node_modules[\\/](?:@framework[\\/](?:auth|cli)|hono|kysely|preact)[\\/]/;

/** The parts that the files of the application folder let expect: packages and files elsewhere are not read. */
export async function expectUnused(request: Asked): Promise<ReadonlySet<Part>> {
  const entries = await readdir(request.appDir, { recursive: true }).catch(() => []);
  const files = entries.filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => join(request.appDir, name));
  return await unusedIn(files, { ...request, certificates: false });
}

/**
 * The parts that no code of a bundled worker can use: the application and its packages, wherever they come from, have
 * to name `cookies`, `flash` or `db` to use them, and authentication is in `app/auth`.
 *
 * @param metafile Description of the worker, with those parts or without.
 */
export async function findUnused(
  metafile: EsbuildResult["metafile"],
  request: Asked,
): Promise<ReadonlySet<Part>> {
  const files = Object.keys(metafile.inputs).map((path) => resolve(request.root, path))
    .filter((file) => !known.test(file));
  return await unusedIn(files, { ...request, certificates: readsCertificates(metafile) });
}

async function unusedIn(
  files: readonly string[],
  used: { hasAuth: boolean; certificates: boolean },
): Promise<ReadonlySet<Part>> {
  // A module without a file is made of a stylesheet.
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const unused = new Set<Part>();
  for (const part of Object.keys(NAMED) as (keyof typeof NAMED)[]) {
    if (!texts.some((text) => NAMED[part].test(text))) unused.add(part);
  }
  if (!used.hasAuth) unused.add("FRAMEWORK_WITHOUT_AUTH");
  if (!used.certificates) unused.add("certificates");
  return unused;
}

/** esbuild's options for a worker without some parts. */
export function leaveOut(options: BundleOptions, parts: ReadonlySet<Part>): BundleOptions {
  const define: Record<string, string> = { ...options["define"] as object };
  for (const part of parts) if (part !== "certificates") define[part] = "true";
  const plugins = parts.has("certificates") ? [withoutCertificates] : [];
  return { ...options, define, plugins: [...options.plugins ?? [], ...plugins] };
}
