/**
 * Writes an npm package a second time for processes, in a few files: Node and Deno find, read and link every
 * module by itself, which takes several times as long as what the modules do.
 *
 * Bundlers for workers and browsers keep the modules, of which they drop what an application does not use.
 *
 * @module
 */

import { build, type Plugin, stop } from "esbuild";
import { join } from "node:path";
import { BUNDLE_CONDITION, BUNDLE_FOLDER, type PlatformFiles } from "./npm_manifest.ts";

/** What a bundle is made of. */
export interface BundleParts {
  /** Packed scripts that are entries, from the package's folder. */
  entries: readonly string[];
  /** Files that depend on the platform, by the name that the packed scripts import them by. */
  imports?: Readonly<Record<string, PlatformFiles>> | undefined;
}

/** Resolves the names of platform files as the package's own manifest will. */
function platformFiles(
  folder: string,
  imports: Readonly<Record<string, PlatformFiles>>,
): Plugin {
  return {
    name: "platform-files",
    setup({ onResolve }) {
      onResolve({ filter: /^#/ }, ({ path }) => {
        const files = imports[path];
        if (files === undefined) return { errors: [{ text: `Nothing is known of "${path}"` }] };
        // Node and Deno share the bundle: where they need different files, the name stays.
        if ("deno" in files) return { path, external: true };
        return { path: join(folder, files[BUNDLE_CONDITION] ?? files.default) };
      });
    },
  };
}

/**
 * Bundles the entries of an unpacked package into its folder `bundled`: one file for each entry, and others for
 * what several of them share. Names and lines stay readable, for stack traces; other packages stay imports.
 *
 * @param folder Absolute path of the unpacked package.
 * @throws {Error} When a script does not parse, or imports a file that is not packed.
 */
export async function writeBundles(
  folder: string,
  { entries, imports = {} }: BundleParts,
): Promise<void> {
  try {
    await build({
      absWorkingDir: folder,
      entryPoints: [...entries],
      outdir: join(folder, BUNDLE_FOLDER),
      outbase: folder,
      chunkNames: "chunks/[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "neutral",
      // Code is neither lowered nor are helpers for it put in: Node 20 knows all that Deno packs.
      target: "esnext",
      packages: "external",
      plugins: [platformFiles(folder, imports)],
      logLevel: "silent",
    });
  } finally {
    await stop();
  }
}
