import * as esbuild from "esbuild";
import { workspaceAlias } from "../../scripts/budgets.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** One file of a bundle. */
export interface BundledFile {
  /** Name of the file, without a folder. */
  name: string;
  text: string;
}

/** Bundles by their entries and options: several tests of a file start the same program. */
const bundles = new Map<string, Promise<BundledFile[]>>();

/**
 * Bundles entries with the workspace's own packages as an application does, to ESM that runs on workers,
 * Deno and Node, once in a process. What several entries share becomes a file of its own.
 *
 * @param entries Absolute paths.
 * @param options `external`: packages that stay out, which the bundle imports where it lies.
 */
export async function bundleEntries(
  entries: string[],
  options: BundleOptions = {},
): Promise<BundledFile[]> {
  const key = JSON.stringify([entries, options]);
  const known = bundles.get(key) ?? bundle(entries, options);
  bundles.set(key, known);
  return [...await known];
}

interface BundleOptions {
  minify?: boolean;
  external?: string[];
}

async function bundle(entries: string[], options: BundleOptions): Promise<BundledFile[]> {
  const alias = await workspaceAlias();
  const { outputFiles } = await esbuild.build({
    absWorkingDir: repositoryRoot,
    entryPoints: entries,
    alias,
    bundle: true,
    minify: options.minify ?? false,
    splitting: entries.length > 1,
    write: false,
    outdir: "out",
    entryNames: "[name]",
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*", ...options.external ?? []],
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
  await esbuild.stop();
  return outputFiles.map(({ path, text }) => ({ name: path.split(/[\\/]/).at(-1)!, text }));
}
