/**
 * Has a bundler treat the source as it treats the installed packages.
 *
 * @module
 */

import type * as esbuild from "esbuild";
import { join } from "node:path";
import type { PackageAdditions } from "./npm_manifest.ts";
import { readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

/** A plugin of esbuild that knows of the manifests: importing a file of a package alone does nothing. */
export async function asInstalled(): Promise<esbuild.Plugin> {
  const { members } = await readWorkspace();
  const additions = await readJson(
    join(repositoryRoot, "npm", "packages.json"),
  ) as unknown as Record<
    string,
    PackageAdditions
  >;
  const pure = members.filter(({ folder }) => additions[folder]!.sideEffects === undefined)
    .map(({ path }) => `${path}/`);
  return {
    name: "as-installed",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        const isPure = pure.some((folder) => file.startsWith(folder));
        return isPure ? { path: file, sideEffects: false } : undefined;
      });
    },
  };
}
