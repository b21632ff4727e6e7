/**
 * Has a bundler treat the source as it treats the installed packages.
 *
 * @module
 */

import type * as esbuild from "esbuild";
import { join } from "node:path";
import type { PackageAdditions } from "./npm_manifest.ts";
import { type Member, readJson, readWorkspace, repositoryRoot } from "./workspace.ts";

/** The files that the package has for a platform: of the default one, by that of the conditions. */
function platformFiles(
  { path }: Member,
  { imports = {} }: PackageAdditions,
  conditions: readonly string[],
): [string, string][] {
  const source = (file: string) => join(path, file.replace(/\.js$/, ".ts"));
  return Object.values(imports).map((files) => {
    const condition = conditions.find((name) => name in files) ?? "default";
    return [source(files.default), source(files[condition]!)];
  });
}

/**
 * A plugin of esbuild that knows of the manifests: which files depend on the platform, and that importing a file
 * of a package alone does nothing.
 *
 * @param conditions Those of the bundle, in the order of their weight.
 */
export async function asInstalled(conditions: readonly string[]): Promise<esbuild.Plugin> {
  const { members } = await readWorkspace();
  const additions = await readJson(
    join(repositoryRoot, "npm", "packages.json"),
  ) as unknown as Record<
    string,
    PackageAdditions
  >;
  const files = new Map(
    members.flatMap((member) => platformFiles(member, additions[member.folder]!, conditions)),
  );
  const pure = members.filter(({ folder }) => additions[folder]!.sideEffects === undefined)
    .map(({ path }) => `${path}/`);
  return {
    name: "as-installed",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        const own = files.get(file);
        if (pure.some((folder) => file.startsWith(folder))) {
          return { path: own ?? file, sideEffects: false };
        }
        return own === undefined ? undefined : { path: own };
      });
    },
  };
}
