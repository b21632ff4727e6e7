import type { PackageCode, SourceModule } from "./module_store.ts";
import { statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { keepPackages, type KeptPackages, readKeptPackages } from "./package_cache.ts";
import { createPackageImports, type PackageImport } from "./package_imports.ts";
import { createRebuild } from "./rebuild.ts";
import { type BuiltModules, createSourceModules } from "./source_modules.ts";
import type { Esbuild, EsbuildResult, OutputFile } from "./tools.ts";

/** A bundled worker. */
export interface WorkerBundle {
  /** The worker; what packages bring is named in its metafile although it stands in `packages`. */
  result: EsbuildResult;
  /** Null when they are part of the worker. */
  packages: PackageCode | null;
  /** The application's files that the worker imports; empty when they are part of it. */
  modules: readonly SourceModule[];
}

/** Bundles a worker again and again. */
export interface WorkerBundler {
  /**
   * @param options esbuild's options for the worker.
   * @param split Whether the worker may be many modules: packages are a bundle of their own, made anew only when they
   * change, and each file of the application is compiled by itself. An edit then costs what the edited file does.
   */
  build(esbuild: Esbuild, options: BundleOptions, split: boolean): Promise<WorkerBundle>;
  dispose(): Promise<void>;
}

/** esbuild's options, as far as they matter here. */
export interface BundleOptions extends Record<string, unknown> {
  absWorkingDir: string;
  entryPoints: Record<string, string>;
}

/** What a package manager changes when it changes what is installed. */
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

/** Makes the bundler. */
export function createWorkerBundler(): WorkerBundler {
  const whole = createRebuild();
  const ofPackages = createRebuild();
  const imports = createPackageImports();
  const sources = createSourceModules(imports);
  let source = "";
  let resolveDir = "";
  let kept: KeptPackages & PackageCode | undefined;
  let keeping: Promise<void> | undefined;
  let isFirst = true;
  // What one save imports, the next one does too: there is no way back.
  let splits = true;

  const stub = {
    name: "package-exports",
    setup(build: PluginSetup) {
      build.onResolve({ filter: /^framework:packages$/ }, ({ path }) => ({ path, namespace }));
      build.onLoad(
        { filter: /./, namespace },
        () => ({ contents: source, loader: "js", resolveDir }),
      );
    },
  };

  async function buildSplit(
    esbuild: Esbuild,
    options: BundleOptions,
  ): Promise<WorkerBundle | null> {
    const root = options.absWorkingDir;
    const place = join(root, ".framework", "cache", "packages");
    const key = JSON.stringify([esbuild.version, options]);
    if (kept && !isCurrent(kept.files)) {
      kept = undefined;
      imports.forget();
      sources.forget();
    }
    const earlier = isFirst ? readKeptPackages(place, key) : undefined;
    isFirst = false;
    const own = await sources.build(esbuild, options);
    const found = await earlier;
    if (own === null || imports.isEntangled()) return null;
    const needed = own.packages;
    const { text, modules } = packageSource(needed);
    if (found?.source === text && isCurrent(found.files)) kept = { ...found, modules };
    if (kept?.source !== text) {
      source = text;
      resolveDir = root;
      const built = await ofPackages.build(esbuild, {
        ...options,
        entryPoints: { packages: "framework:packages" },
        plugins: [stub],
      });
      const { inputs } = built.metafile;
      if (hidesNames(needed, inputs, root)) return null;
      const map = built.outputFiles?.find(({ path }) => path.endsWith(".map"))?.text ?? null;
      const files = stateOf([...Object.keys(inputs), ...installation], root);
      const made = { source, code: codeOf(built), map, inputs, files };
      keeping = keepPackages(place, key, made);
      kept = { ...made, modules };
    }
    return { result: asResult(own, kept.inputs), packages: kept, modules: own.modules };
  }

  return {
    async build(esbuild, options, split) {
      const parts = split && splits ? await buildSplit(esbuild, options) : null;
      if (parts) return parts;
      const result = await whole.build(esbuild, options);
      if (split) splits = false;
      return { result, packages: null, modules: [] };
    },
    async dispose() {
      await Promise.all([
        keeping,
        ...[whole, ofPackages].map((each) => each.dispose()),
      ]);
    },
  };
}

/** As if there were one bundle. */
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

/** One module that exports everything under names of its own, and for each package one that gives the names back. */
function packageSource(
  imports: Map<string, PackageImport>,
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

/** What `default` of a CommonJS module is depends on who imports it. */
function hidesNames(
  needed: Map<string, PackageImport>,
  inputs: EsbuildResult["metafile"]["inputs"],
  root: string,
): boolean {
  return [...needed.values()].some(({ path, names }) =>
    names.includes("default") && inputs[projectPath(root, path)]?.format !== "esm"
  );
}

/** As esbuild names a file. */
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

/** What tells whether a file is the one that it was; empty for one that does not exist. */
export function fileState(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size}`;
}

function codeOf(result: EsbuildResult): string {
  return result.outputFiles?.find(({ path }) => path.endsWith(".js"))?.text ?? "";
}
