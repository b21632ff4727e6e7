/**
 * Writes an npm package a second time for processes, in a few files: Node and Deno find, read and link every
 * module by itself, which takes several times as long as what the modules do.
 *
 * Bundlers for workers and browsers keep the modules, of which they drop what an application does not use.
 *
 * @module
 */

import { build, type BuildOptions, type Metafile, type Plugin, stop } from "esbuild";
import { join, parse, resolve } from "node:path";
import { BUNDLE_FOLDER, packedFile } from "./npm_manifest.ts";
import { packageName } from "./npm_specifiers.ts";
import type { Member } from "./workspace.ts";

/** Parts of the bundles. */
export interface BundleParts {
  /**
   * Packed scripts that are entries, from the package's folder. What entries of one group share is there once;
   * groups have nothing in common, neither a class nor a value.
   */
  groups: readonly (readonly string[])[];
  /** Other packages whose code becomes a part of the bundles: what is used of it. All others stay imports. */
  contains?: readonly string[] | undefined;
}

/** Groups the packed entries of a member: those that are to be apart, and all others. */
export function groupEntries({ exports }: Member, apart: readonly string[]): string[][] {
  const together = Object.keys(exports).filter((entry) => !apart.includes(entry));
  return [together, apart]
    .filter(({ length }) => length > 0)
    .map((entries) => entries.map((entry) => packedFile(exports[entry]!, ".js")));
}

/** Leaves the import of another package what it is, unless that becomes a part. */
function resolver({ contains = [] }: BundleParts): Plugin {
  return {
    name: "resolver",
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === "entry-point") return undefined;
        const isPart = contains.includes(packageName(path) ?? "");
        return isPart ? undefined : { path, external: true };
      });
    },
  };
}

/** The modules, from the package's folder, that are neither in one entry alone nor in what is loaded later. */
function sharedModules({ outputs }: Metafile): string[] {
  return Object.values(outputs)
    .filter(({ entryPoint }) => entryPoint === undefined)
    .flatMap(({ inputs }) => Object.keys(inputs));
}

/**
 * Has each entry import all that several of them share. The bundler makes one file for each set of entries that
 * has something in common, and then there is one set: a process that loads one of them loads as a rule the
 * largest, and every further file costs it more than the code that it would have been spared.
 */
function joinShared(entries: readonly string[], shared: readonly string[]): Plugin {
  // On the first line, so that the source map counts the lines of the entry.
  const imports = shared.map((file) => `import ${JSON.stringify(`./${file}`)};`).join("");
  return {
    name: "join-shared",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!entries.includes(path)) return undefined;
        return { contents: imports + await Deno.readTextFile(path) };
      });
    },
  };
}

/** A source map, as far as it says where something was. */
interface SourceMap {
  sources: string[];
}

/**
 * Names the sources of a source map: modules of the package from the map, those of a package that became a part by
 * their place in it, wherever that was installed.
 */
async function nameSources(file: string): Promise<void> {
  const map: SourceMap = JSON.parse(await Deno.readTextFile(file));
  map.sources = map.sources.map((source) => {
    const [, part] = /node_modules\/(?!.*node_modules\/)(.+)$/.exec(source) ?? [];
    return part === undefined ? source : `node_modules/${part}`;
  });
  await Deno.writeTextFile(file, JSON.stringify(map));
}

/**
 * Bundles the entries of an unpacked package into its folder `bundled`: one file for each entry, and one for
 * what those of a group share. White space is left out, which takes time to read; names stay, for stack traces, and
 * source maps lead to the modules of the package.
 *
 * @param folder Absolute path of the unpacked package.
 * @returns Absolute paths of the modules that became a part.
 * @throws {Error} When a script does not parse, or imports a file that is not packed.
 */
export async function writeBundles(folder: string, parts: BundleParts): Promise<string[]> {
  const place = await Deno.realPath(folder);
  const modules = new Set<string>();
  try {
    for (const entries of parts.groups) {
      const options = {
        absWorkingDir: place,
        entryPoints: [...entries],
        outdir: join(place, BUNDLE_FOLDER),
        outbase: place,
        bundle: true,
        splitting: true,
        minifySyntax: true,
        minifyWhitespace: true,
        // Node shows the whole line of an error that nobody catches, such as one in a configuration.
        lineLimit: 100,
        format: "esm",
        platform: "neutral",
        // Code is neither lowered nor are helpers for it put in: Node 20 knows all that Deno packs.
        target: "esnext",
        metafile: true,
        logLevel: "silent",
        plugins: [resolver(parts)],
      } as const satisfies BuildOptions;
      const { metafile: apart } = await build({ ...options, chunkNames: "[hash]", write: false });
      const paths = entries.map((entry) => join(place, entry));
      const joining = joinShared(paths, sharedModules(apart));
      const { metafile } = await build({
        ...options,
        sourcemap: "linked",
        sourcesContent: false,
        // Without a hash, which would tell where the packages that are a part were installed.
        chunkNames: `chunks/${parse(entries[0]!).name}-[name]`,
        plugins: [...options.plugins, joining],
      });
      for (const input of Object.keys(metafile.inputs)) modules.add(resolve(place, input));
      const maps = Object.keys(metafile.outputs).filter((output) => output.endsWith(".map"));
      await Promise.all(maps.map((map) => nameSources(join(place, map))));
    }
  } finally {
    await stop();
  }
  return [...modules];
}
