/**
 * Makes a few files of an npm package's modules: Node and Deno find, read and link every module by itself, which takes
 * several times as long as what the modules do. Bundlers drop what an application does not use, from these files too.
 *
 * @module
 */

import { build, type BuildOptions, type Metafile, type Plugin, stop } from "esbuild";
import { dirname, join, parse } from "node:path";
import { packedFile } from "./npm_manifest.ts";
import { listFiles, type Member } from "./workspace.ts";

/** Entries that have what they share in common, and nothing with those of other groups, neither a class nor a value. */
export interface EntryGroup {
  /** Packed scripts, from the package's folder. */
  entries: readonly string[];
  /** True for one file of all that several of the entries share; false for no more in any of them than it needs. */
  joined: boolean;
}

/**
 * Groups the packed entries of a member: those that are to be apart, of which a browser loads each by itself, and all
 * others.
 */
export function groupEntries({ exports }: Member, apart: readonly string[]): EntryGroup[] {
  const together = Object.keys(exports).filter((entry) => !apart.includes(entry));
  return [{ entries: together, joined: true }, { entries: apart, joined: false }]
    .filter(({ entries }) => entries.length > 0)
    .map(({ entries, joined }) => ({
      entries: entries.map((entry) => packedFile(exports[entry]!, ".js")),
      joined,
    }));
}

/** Leaves the import of another package what it is: a dependency, of which every project has one copy. */
const external: Plugin = {
  name: "external",
  setup({ onResolve }) {
    onResolve(
      { filter: /^[^./]/ },
      ({ path, kind }) => kind === "entry-point" ? undefined : { path, external: true },
    );
  },
};

/** Imports of the modules that are neither in one entry alone nor in what is loaded later. */
function importsOfShared({ outputs }: Metafile): string {
  return Object.values(outputs)
    .filter(({ entryPoint }) => entryPoint === undefined)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .map((file) => `import ${JSON.stringify(`./${file}`)};`).join("");
}

/**
 * Has each entry import all that several of them share. The bundler makes one file for each set of entries that
 * has something in common, and then there is one set: a process that loads one of them loads as a rule the
 * largest, and every further file costs it more than the code that it would have been spared.
 */
function joinShared(entries: readonly string[], imports: string): Plugin {
  return {
    name: "join-shared",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!entries.includes(path)) return undefined;
        // On the first line, so that the source map counts the lines of the entry.
        return { contents: imports + await Deno.readTextFile(path) };
      });
    },
  };
}

/**
 * Puts bundles of the entries in the place of an unpacked package's scripts: one file for each entry, in its place, and
 * what those of a group share in `chunks`. Nothing is minified; source maps hold the modules, and lead stack
 * traces to them.
 *
 * @param folder Absolute path of the unpacked package.
 * @throws {Error} When a script does not parse, or imports a file that is not packed.
 */
export async function writeBundles(
  folder: string,
  groups: readonly EntryGroup[],
): Promise<void> {
  const place = await Deno.realPath(folder);
  const written = new Map<string, string>();
  try {
    for (const { entries, joined } of groups) {
      const options = {
        absWorkingDir: place,
        entryPoints: [...entries],
        outdir: place,
        outbase: place,
        bundle: true,
        splitting: true,
        format: "esm",
        platform: "neutral",
        // Code is neither lowered nor are helpers for it put in: Node 20 knows all that Deno packs.
        target: "esnext",
        metafile: true,
        // The modules are still to be read for other groups.
        write: false,
        logLevel: "silent",
        plugins: [external],
      } as const satisfies BuildOptions;
      const { metafile } = await build({ ...options, chunkNames: "[hash]" });
      const paths = entries.map((entry) => join(place, entry));
      const imports = joined ? importsOfShared(metafile) : "";
      const { outputFiles } = await build({
        ...options,
        sourcemap: "linked",
        chunkNames: `chunks/${parse(entries[0]!).name}-[name]${joined ? "" : "-[hash]"}`,
        plugins: [external, joinShared(paths, imports)],
      });
      // A source map holds the entry as it was.
      const inMap = JSON.stringify(imports).slice(1, -1);
      for (const { path, text } of outputFiles) {
        written.set(path, path.endsWith(".map") ? text.replace(`"${inMap}`, '"') : text);
      }
    }
  } finally {
    await stop();
  }
  for (const file of await listFiles(place)) {
    if (file.endsWith(".js")) await Deno.remove(join(place, file));
  }
  for (const [path, text] of written) {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
}
