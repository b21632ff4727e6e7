import { readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import type { PackageCode, SourceModule } from "../emulator/module_store.ts";
import type {
  Esbuild,
  EsbuildContext,
  EsbuildPlugin,
  EsbuildResult,
  OutputFile,
} from "../tools/bundler_and_emulator.ts";
import { createPackageImports, type PackageImport } from "./package_imports.ts";
import { type BuiltModules, createSourceModules, reachable, type Whole } from "./source_modules.ts";

/** A bundled worker. */
export interface WorkerBundle {
  /** The worker; its metafile also names the packages' files, although their code is in `packages`. */
  result: EsbuildResult;
  /** Code of the packages; null when it is part of the worker. */
  packages: PackageCode | null;
  /** The application's files that the worker imports; empty when they are part of it. */
  modules: readonly SourceModule[];
  /** Reason why the worker is one module although it might have been many; null without one. */
  whole: string | null;
}

/** Bundles a worker repeatedly. */
export interface WorkerBundler {
  /**
   * @param options esbuild's options for the worker.
   * @param split Whether the worker may be many modules: packages are a bundle of their own, made anew only when they
   * change, and each file of the application is compiled by itself. An edit then costs what the edited file does.
   */
  build(esbuild: Esbuild, options: BundleOptions, split: boolean): Promise<WorkerBundle>;
  dispose(): Promise<void>;
}

/** The esbuild options that are used here. */
export interface BundleOptions extends Record<string, unknown> {
  absWorkingDir: string;
  entryPoints: Record<string, string>;
  plugins?: EsbuildPlugin[];
}

/** Files that a package manager changes when installed packages change. */
const installation = [
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "deno.json",
  "deno.jsonc",
  "deno.lock",
  "tsconfig.json",
  "node_modules/.package-lock.json",
  "node_modules/.modules.yaml",
];

/** Creates the bundler. */
export function createWorkerBundler(): WorkerBundler {
  const ofAll = createRebuild();
  const ofPackages = createRebuild();
  const imports = createPackageImports();
  const sources = createSourceModules(imports);
  let source = "";
  let resolveDir = "";
  let kept: KeptPackages & PackageCode | undefined;
  let keeping: Promise<void> | undefined;
  let packageAssets: OutputFile[] = [];
  let isFirst = true;
  /** Names by path of a package's module that is imported as a whole; else why esbuild does not know them. */
  const exported = new Map<string, string[] | string>();

  const stub = {
    name: "package-exports",
    setup(build: PluginSetup) {
      build.onResolve(
        { filter: /^framework:packages\.m?js$/ },
        ({ path }) => ({ path, namespace }),
      );
      build.onLoad(
        { filter: /./, namespace },
        () => ({ contents: source, loader: "js", resolveDir }),
      );
    },
  };

  async function buildSplit(
    esbuild: Esbuild,
    options: BundleOptions,
  ): Promise<WorkerBundle | Whole> {
    const root = options.absWorkingDir;
    const place = join(root, ".framework", "cache", "packages");
    const key = JSON.stringify([esbuild.version, options]);
    if (kept && !isCurrent(kept.files)) {
      kept = undefined;
      imports.forget();
      sources.forget();
      exported.clear();
    }
    const earlier = isFirst ? readKeptPackages(place, key) : undefined;
    isFirst = false;
    const own = await sources.build(esbuild, options);
    const found = await earlier;
    if ("whole" in own) return own;
    const unread = [...own.packages.values()]
      .filter(({ path, names }) => names === null && !exported.has(path));
    await readNames(esbuild, options, unread.map(({ path }) => path), exported);
    const needed = new Map<string, NamedImport>();
    for (const [specifier, { path, names, importers }] of own.packages) {
      const all = names ?? exported.get(path)!;
      if (typeof all === "string") {
        return whole(root, importers[0]!, path, { act: "imports everything of", why: all });
      }
      needed.set(specifier, { path, names: all, importers });
    }
    const { text, modules } = packageSource(needed);
    if (found?.source === text && isCurrent(found.files)) kept = { ...found, modules };
    if (kept?.source !== text) {
      source = text;
      resolveDir = root;
      const built = await ofPackages.build(esbuild, {
        ...options,
        // By the ending, esbuild knows what the default of a CommonJS module is.
        entryPoints: { packages: `framework:packages${isNodeModule(root) ? ".mjs" : ".js"}` },
        plugins: [stub, ...options.plugins ?? []],
      });
      const { inputs } = built.metafile;
      const map = built.outputFiles?.find(({ path }) => path.endsWith(".map"))?.text ?? null;
      const files = stateOf([...Object.keys(inputs), ...installation], root);
      const made = { source, code: codeOf(built), map, inputs, files };
      packageAssets = (built.outputFiles ?? []).filter(({ path }) => !/\.js(\.map)?$/.test(path));
      // The cache has no place for the images of a package, which are rare.
      if (packageAssets.length === 0) keeping = keepPackages(place, key, made);
      kept = { ...made, modules };
    }
    const other = findOtherDefault(needed, kept.inputs, root);
    if (other !== undefined) return other;
    const result = asResult(own, kept.inputs);
    result.outputFiles?.push(...own.assets, ...packageAssets);
    return { result, packages: kept, modules: own.modules, whole: null };
  }

  return {
    async build(esbuild, options, split) {
      const parts = split ? await buildSplit(esbuild, options) : { whole: null };
      if ("result" in parts) return parts;
      const result = await ofAll.build(esbuild, options);
      return { result, packages: null, modules: [], whole: parts.whole };
    },
    async dispose() {
      await Promise.all([
        keeping,
        ...[ofAll, ofPackages].map((each) => each.dispose()),
      ]);
    },
  };
}

/** Combines the parts into the result of a single bundle. */
function asResult(
  { entry, inputs, warnings }: BuiltModules,
  ofPackages: KeptPackages["inputs"],
): EsbuildResult {
  const file = (path: string, text: string): OutputFile => ({
    path,
    text,
    contents: new TextEncoder().encode(text),
  });
  return {
    warnings,
    outputFiles: [
      file("worker.js", entry.code),
      ...(entry.map === null ? [] : [file("worker.js.map", entry.map)]),
    ],
    metafile: { inputs: { ...ofPackages, ...inputs }, outputs: {} },
  };
}

interface PluginSetup {
  onResolve(filter: object, answer: (asked: { path: string }) => object): void;
  onLoad(filter: object, answer: () => object): void;
}

const namespace = "framework";

/**
 * Returns one module that exports everything under unique names, and for each package a module that
 * restores its names.
 */
function packageSource(
  imports: Map<string, NamedImport>,
): { text: string; modules: Record<string, string> } {
  const modules: Record<string, string> = {};
  const lines = [...imports].map(([specifier, { path, names }], index) => {
    const name = specifier.slice("./".length);
    const list = (pair: (own: string, given: string) => string): string =>
      names.map((given) => pair(`p${index}_${given}`, given)).join(", ");
    const back = list((own, given) => `${own} as ${given}`);
    modules[name] = names.length === 0
      ? 'import "./packages.js";'
      : `export { ${back} } from "./packages.js";`;
    const from = JSON.stringify(path);
    return names.length === 0
      ? `import ${from};`
      : `export { ${list((own, given) => `${given} as ${own}`)} } from ${from};`;
  });
  return { text: lines.join("\n"), modules };
}

/** Import from a package whose names are known. */
type NamedImport = PackageImport & { names: string[] };

/**
 * Reads the names that modules of packages export, for imports of everything.
 *
 * @param names Receives them by path; in their place the reason where only running it tells them.
 */
async function readNames(
  esbuild: Esbuild,
  options: BundleOptions,
  paths: readonly string[],
  names: Map<string, string[] | string>,
): Promise<void> {
  if (paths.length === 0) return;
  const { metafile, outputFiles = [] } = await esbuild.build({
    ...options,
    entryPoints: Object.fromEntries(paths.map((path, index) => [`names_${index}`, path])),
    sourcemap: false,
  });
  const outputs = Object.entries(metafile.outputs);
  for (const [index, path] of paths.entries()) {
    const name = `names_${index}.js`;
    const found = outputs.find(([path]) => path.endsWith(name))?.[1].exports ?? [];
    const code = outputFiles.find(({ path }) => path.endsWith(name))?.text ?? "";
    const inputs = reachable(metafile.inputs, projectPath(options.absWorkingDir, path));
    // A module of the platform, whose names it does not list.
    const isPassedOn = /^export \* from\b/m.test(code);
    const isKnown = Object.values(inputs).every(({ format }) => format !== "cjs") &&
      found.every((name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name));
    names.set(path, isPassedOn ? PASSES_ON : isKnown ? found : IS_COMMON);
  }
}

/**
 * Finds an import of the `default` of a CommonJS module that is another value than the packages' bundle has: it depends
 * on the type of the importing module.
 */
function findOtherDefault(
  needed: Map<string, NamedImport>,
  inputs: EsbuildResult["metafile"]["inputs"],
  root: string,
): Whole | undefined {
  for (const { path, names, importers } of needed.values()) {
    if (!names.includes("default") || inputs[projectPath(root, path)]?.format === "esm") continue;
    const other = importers.find((file) => isNodeModule(file) !== isNodeModule(root));
    if (other === undefined) continue;
    const act = 'belongs to a package.json with another "type" than the project\'s, and imports';
    return whole(root, other, path, { act, why: IS_COMMON });
  }
  return undefined;
}

const IS_COMMON = "which is CommonJS";
const PASSES_ON = "which passes on all of a module of the platform";

/** Returns the reason for one bundle that a file has in a package. */
function whole(
  root: string,
  importer: string,
  path: string,
  { act, why }: { act: string; why: string },
): Whole {
  const name = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? path;
  return {
    whole: `${projectPath(root, importer)}: it ${act} the package ${
      name.replaceAll(sep, "/")
    }, ${why}`,
  };
}

/** Returns true for a module as Node understands it: one in a folder of `"type": "module"`, or with such an ending. */
function isNodeModule(path: string): boolean {
  if (/\.[cm][jt]sx?$/.test(path)) return /\.m[^.]*$/.test(path);
  try {
    const { type } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    return type === "module";
  } catch {
    return dirname(path) !== path && isNodeModule(dirname(path));
  }
}

/** Returns a file's path as esbuild names it. */
function projectPath(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

function stateOf(paths: readonly string[], root: string): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => [resolve(root, path), fileState(resolve(root, path))]),
  );
}

function isCurrent(files: Record<string, string>): boolean {
  return Object.entries(files).every(([path, state]) => fileState(path) === state);
}

/** Fingerprint of a file's state; empty for one that does not exist. */
export function fileState(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size}`;
}

function codeOf(result: EsbuildResult): string {
  return result.outputFiles?.find(({ path }) => path.endsWith(".js"))?.text ?? "";
}

/** Bundle of packages, and what it was made from. */
interface KeptPackages {
  /** Source of the imports that the packages were bundled for. */
  source: string;
  /** The code of all packages. */
  code: string;
  map: string | null;
  /** esbuild's metadata of its inputs. */
  inputs: Record<string, { imports: { path: string }[]; format?: "esm" | "cjs" }>;
  /** State of its input files, by absolute path. */
  files: Record<string, string>;
}

interface Head extends Omit<KeptPackages, "code" | "map"> {
  key: string;
  codeLength: number;
  hasMap: boolean;
}

/**
 * Reads the cached bundle of packages, which are most of an application's code and change least.
 *
 * @param file Absolute path of where it is kept.
 * @param key What else the bundle depends on: esbuild's version and its options.
 * @returns undefined when there is none, when it was made otherwise, or when it cannot be read.
 */
export async function readKeptPackages(
  file: string,
  key: string,
): Promise<KeptPackages | undefined> {
  try {
    const text = await readFile(file, "utf8");
    const end = text.indexOf("\n");
    const { key: kept, codeLength, hasMap, ...head } = JSON.parse(text.slice(0, end)) as Head;
    if (kept !== key) return undefined;
    const rest = text.slice(end + 1);
    return {
      ...head,
      code: rest.slice(0, codeLength),
      map: hasMap ? rest.slice(codeLength) : null,
    };
  } catch {
    return undefined;
  }
}

/** Caches a bundle of packages for later runs. Without a cache it is rebuilt. */
export async function keepPackages(
  file: string,
  key: string,
  { code, map, ...packages }: KeptPackages,
): Promise<void> {
  const head: Head = { ...packages, key, codeLength: code.length, hasMap: map !== null };
  // A concurrent reader gets the old file or the new one, never a part.
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, `${JSON.stringify(head)}\n${code}${map ?? ""}`);
    await rename(draft, file);
  } catch {
    return;
  }
}

/** A build that is faster from the second time on, as long as its options stay the same. */
export interface Rebuild {
  build(esbuild: Esbuild, options: object): Promise<EsbuildResult>;
  dispose(): Promise<void>;
}

/** Creates such a build. Plugins are taken from the first options. */
export function createRebuild(): Rebuild {
  let context: EsbuildContext | undefined;
  let contextKey = "";
  return {
    async build(esbuild, options) {
      const key = JSON.stringify(options);
      if (key !== contextKey) {
        await context?.dispose();
        context = undefined;
        context = await esbuild.context(options);
        contextKey = key;
      }
      return await context!.rebuild();
    },
    dispose: async () => await context?.dispose(),
  };
}
