import { statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { createPackageImports, type PackageImport, readPackageImports } from "./package_imports.ts";
import { createRebuild } from "./rebuild.ts";
import type { Esbuild, EsbuildResult } from "./tools.ts";

/** What a worker imports besides its own code. */
export interface PackageCode {
  /** Modules by name, all of them short: they pass on parts of `packages.js`. */
  modules: Record<string, string>;
  /** The code of all packages. */
  code: string;
  map: string | null;
}

/** A bundled worker. */
export interface WorkerBundle {
  /** The worker; what packages bring is named in its metafile although it stands in `packages`. */
  result: EsbuildResult;
  /** Null when they are part of the worker. */
  packages: PackageCode | null;
}

/** Bundles a worker again and again. */
export interface WorkerBundler {
  /**
   * @param options esbuild's options for the worker.
   * @param split Whether packages may be a bundle of their own, which is made anew only when they change: an edit then costs
   * as much as the application is large.
   */
  build(esbuild: Esbuild, options: BundleOptions, split: boolean): Promise<WorkerBundle>;
  dispose(): Promise<void>;
}

/** esbuild's options, as far as they matter here. */
export interface BundleOptions extends Record<string, unknown> {
  absWorkingDir: string;
}

interface Kept extends PackageCode {
  /** What was asked of the packages. */
  source: string;
  inputs: EsbuildResult["metafile"]["inputs"];
  /** State of the files that they were made of. */
  files: Map<string, string>;
}

/** Makes the bundler. */
export function createWorkerBundler(): WorkerBundler {
  const whole = createRebuild();
  const application = createRebuild();
  const ofPackages = createRebuild();
  const imports = createPackageImports();
  let source = "";
  let resolveDir = "";
  let kept: Kept | undefined;
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
    if (kept && !isCurrent(kept.files)) {
      kept = undefined;
      imports.forget();
    }
    const result = await application.build(esbuild, { ...options, plugins: [imports.plugin] });
    const needed = imports.isEntangled() ? null : readPackageImports(codeOf(result), imports);
    if (needed === null) return null;
    const { text, modules } = packageSource(needed);
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
      kept = {
        source,
        modules,
        code: codeOf(built),
        map,
        inputs,
        files: stateOf(
          [...Object.keys(inputs), "package.json", "deno.json", "tsconfig.json"],
          root,
        ),
      };
    }
    return { result: joinInputs(result, kept.inputs, root), packages: kept };
  }

  /** As if there were one bundle. */
  function joinInputs(
    result: EsbuildResult,
    inputs: Kept["inputs"],
    root: string,
  ): EsbuildResult {
    const own = Object.entries(result.metafile.inputs).map(([path, input]) => [path, {
      ...input,
      imports: input.imports.map((each) => {
        const found = imports.pathOf(each.path);
        return found === undefined ? each : { ...each, path: projectPath(root, found) };
      }),
    }]);
    const joined = { ...inputs, ...Object.fromEntries(own) };
    return { ...result, metafile: { ...result.metafile, inputs: joined } };
  }

  return {
    async build(esbuild, options, split) {
      const parts = split && splits ? await buildSplit(esbuild, options) : null;
      if (parts) return parts;
      if (split) splits = false;
      return { result: await whole.build(esbuild, options), packages: null };
    },
    async dispose() {
      await Promise.all([whole, application, ofPackages].map((each) => each.dispose()));
    },
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

function stateOf(paths: readonly string[], root: string): Map<string, string> {
  return new Map(paths.map((path) => [resolve(root, path), fileState(join(root, path))]));
}

function isCurrent(files: Map<string, string>): boolean {
  return [...files].every(([path, state]) => fileState(path) === state);
}

function fileState(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.mtimeMs} ${found.size}`;
}

function codeOf(result: EsbuildResult): string {
  return result.outputFiles?.find(({ path }) => path.endsWith(".js"))?.text ?? "";
}
