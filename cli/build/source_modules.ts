import { statSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import type { SourceModule } from "../emulator/module_store.ts";
import type {
  Esbuild,
  EsbuildMessage,
  EsbuildPlugin,
  EsbuildResult,
  OutputFile,
} from "../tools/bundler_and_emulator.ts";
import { callOf, type PackageImport, type PackageImports, readImports } from "./package_imports.ts";

/** The application's own files as modules. */
export interface BuiltModules {
  /** The worker's entry, which nothing imports. */
  entry: SourceModule;
  /** All other files that the entry reaches. */
  modules: SourceModule[];
  /** Their package imports, in order of evaluation. */
  packages: Map<string, PackageImport>;
  /** esbuild's metadata of the files, with the paths of their imports. */
  inputs: EsbuildResult["metafile"]["inputs"];
  warnings: EsbuildMessage[];
  /** Images and other files that they import by their address. */
  assets: OutputFile[];
}

/** Reason why only a bundle of everything serves. */
export interface Whole {
  /** Part of a sentence: the file, relative to the project, and what it does. */
  whole: string;
}

/** Compiles the application's files one by one. */
export interface SourceModules {
  /**
   * Compiles the files that have changed since the last build. Modules that import a changed one
   * get a new name with the same code, so that a runtime which caches modules by name evaluates
   * exactly those again.
   *
   * @param options esbuild's options for the worker.
   * @returns The modules, or why only a bundle of everything can serve: for CommonJS, and for names that a file does
   * not export.
   * @throws esbuild's error for a file that cannot be compiled.
   */
  build(esbuild: Esbuild, options: SourceOptions): Promise<BuiltModules | Whole>;
  /** Number of files compiled so far. */
  compiled(): number;
  /** Forgets all compiled files, after an installation. */
  forget(): void;
}

/** The esbuild options that are used here. */
interface SourceOptions extends Record<string, unknown> {
  absWorkingDir: string;
  entryPoints: Record<string, string>;
  plugins?: EsbuildPlugin[];
}

/** Record of a compiled file. */
interface Compiled {
  path: string;
  index: number;
  version: number;
  code: string;
  map: string | null;
  exports: ReadonlySet<string>;
  /** True when it re-exports everything from another file. */
  isOpen: boolean;
  /** Own files that it imports, in order. */
  imports: number[];
  /** Names that it imports from them; null for all. */
  names: Map<string, string[] | null>;
  packages: Map<string, PackageImport>;
  /** Inputs of the compilation, by absolute path. */
  files: Record<string, string>;
  inputs: EsbuildResult["metafile"]["inputs"];
  warnings: EsbuildMessage[];
  assets: OutputFile[];
}

/** Creates the compiler. */
export function createSourceModules(packages: PackageImports): SourceModules {
  const indexes = new Map<string, number>();
  const paths: string[] = [];
  const known = new Map<number, Compiled>();
  /** Folders in which a new file could change the resolution of an import without extension. */
  let folders = new Map<string, Set<string>>();
  const { entangled } = packages;
  /** Files whose new code the worker has not received; a failed build leaves them to the next one. */
  const changed = new Set<number>();
  let count = 0;

  function indexOf(path: string): number {
    const index = indexes.get(path) ?? paths.push(path) - 1;
    indexes.set(path, index);
    return index;
  }

  const plugin: EsbuildPlugin = {
    name: "modules",
    setup(build) {
      build.onResolve({ filter: /./ }, async (asked) => {
        const { path, kind, resolveDir, importer, pluginData } = asked;
        if (pluginData !== undefined || kind === "entry-point") return undefined;
        if (/^(node|cloudflare):/.test(path)) return undefined;
        const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: own });
        if (found.errors.length > 0 || found.external || found.namespace !== "file") {
          return undefined;
        }
        if (!/\.[cm]?[jt]sx?$/.test(found.path)) return undefined;
        if (kind !== "import-statement" && kind !== "dynamic-import") {
          entangled.set(importer, `it loads ${path} with ${callOf(kind)}`);
          return undefined;
        }
        if (basename(found.path) !== basename(path)) {
          const near = folders.get(importer) ?? new Set();
          folders.set(importer, near.add(dirname(found.path)));
          if (path.startsWith(".")) near.add(dirname(resolve(resolveDir, path)));
        }
        return { path: nameOf(indexOf(found.path), 0), external: true };
      });
    },
  };

  function isStale({ files }: Compiled): boolean {
    return Object.entries(files).some(([path, state]) => state === "" || stateOf(path) !== state);
  }

  /** Marks a module for recompilation by the next build. */
  function expire(module: Compiled): void {
    module.files = { [module.path]: "" };
  }

  async function compile(
    esbuild: Esbuild,
    options: SourceOptions,
    indexes: readonly number[],
  ): Promise<Compiled[]> {
    const root = options.absWorkingDir;
    const began = Date.now();
    const before = indexes.map((index) => stateOf(paths[index]!));
    folders = new Map();
    for (const index of indexes) entangled.delete(paths[index]!);
    const { metafile, outputFiles, warnings } = await esbuild.build({
      ...options,
      entryPoints: indexes.map((index) => ({ in: paths[index]!, out: `module_${index}` })),
      plugins: [packages.plugin, plugin, ...options.plugins ?? []],
    });
    count += indexes.length;
    const outputs = new Map(outputFiles?.map((file) => [basename(file.path), file]));
    const described = new Map(
      Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
    );
    return indexes.map((index, place): Compiled => {
      const path = paths[index]!;
      const code = outputs.get(`module_${index}.js`)?.text ?? "";
      const inputs = reachable(metafile.inputs, projectPath(root, path));
      const names = Object.keys(inputs);
      if (!entangled.has(path) && names.some((name) => inputs[name]!.format === "cjs")) {
        entangled.set(path, "it is CommonJS");
      }
      const imports = [...code.matchAll(/"\.\/module_(\d+)_0+\.js"/g)].map(([, to]) => Number(to));
      const files: Record<string, string> = {};
      const near = folders.get(path) ?? [];
      for (const other of [...names.map((name) => resolve(root, name)), ...near]) {
        files[other] = stateOf(other, began);
      }
      files[path] = before[place]!;
      return {
        path,
        index,
        version: known.get(index)?.version ?? 0,
        code,
        map: outputs.get(`module_${index}.js.map`)?.text ?? null,
        exports: new Set(described.get(`module_${index}.js`)?.exports),
        isOpen: /^export \* from/m.test(code),
        imports: [...new Set(imports)],
        names: readImports(code, /^\.\/module_/),
        packages: new Map(
          [...readImports(code, /^\.\/package-/)].flatMap(([specifier, names]) => {
            const to = packages.pathOf(specifier);
            return to === undefined ? [] : [[specifier, { path: to, names, importers: [path] }]];
          }),
        ),
        files,
        inputs: named(inputs, root),
        warnings: warnings.filter(({ location }) => names.includes(location?.file ?? "")),
        assets: (described.get(`module_${index}.js`)?.imports ?? [])
          .filter(({ kind }) => kind === "file-loader")
          .map(({ path }) => outputs.get(basename(path))!),
      };
    });
  }

  /** Returns the inputs with the paths of their imports instead of the names in the code. */
  function named(
    inputs: EsbuildResult["metafile"]["inputs"],
    root: string,
  ): EsbuildResult["metafile"]["inputs"] {
    return Object.fromEntries(
      Object.entries(inputs).map(([path, input]) => [path, {
        ...input,
        imports: input.imports.map((each) => {
          const [, index] = /^\.\/module_(\d+)_0+\.js$/.exec(each.path) ?? [];
          const found = index === undefined ? packages.pathOf(each.path) : paths[Number(index)];
          return found === undefined ? each : { ...each, path: projectPath(root, found) };
        }),
      }]),
    );
  }

  /**
   * Renames the modules that import a changed one, transitively, because they now see another
   * module.
   */
  function renew(changed: Iterable<number>): void {
    const importers = new Map<number, number[]>();
    for (const { index, imports } of known.values()) {
      for (const to of imports) importers.set(to, [...importers.get(to) ?? [], index]);
    }
    const seen = new Set<number>();
    const waiting = [...changed];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const module = known.get(index);
      if (module) module.version++;
      waiting.push(...importers.get(index) ?? []);
    }
  }

  /**
   * Returns true when a file lacks an imported name. In the worker the error would have no
   * position; esbuild knows both files of a bundle.
   */
  function lacksNames({ names }: Compiled): boolean {
    return [...names].some(([specifier, wanted]) => {
      const target = known.get(Number(/\d+/.exec(specifier)?.[0]));
      if (target === undefined || target.isOpen || wanted === null) return false;
      return wanted.some((name) => !target.exports.has(name));
    });
  }

  function describe(module: Compiled): SourceModule {
    const code = module.code.replace(
      /"\.\/module_(\d+)_0+\.js"/g,
      (text, index) => {
        const target = known.get(Number(index));
        return target === undefined ? text : JSON.stringify(nameOf(target.index, target.version));
      },
    );
    const name = nameOf(module.index, module.version).slice("./".length);
    return { name, code, map: module.map };
  }

  const described = new Map<number, SourceModule>();

  return {
    compiled: () => count,
    forget() {
      for (const module of known.values()) expire(module);
    },
    async build(esbuild, options) {
      const root = options.absWorkingDir;
      const entry = indexOf(resolve(root, Object.values(options.entryPoints)[0]!));
      const reached = new Set<number>();
      for (let next = [entry]; next.length > 0;) {
        const stale = next.filter((index) => !known.has(index) || isStale(known.get(index)!));
        const gone = stale.filter((index) => index !== entry && stateOf(paths[index]!) === "");
        if (gone.length > 0) {
          // Importers are asked first: the import may now mean another file, or be the place of the
          // mistake.
          for (const module of known.values()) {
            if (module.imports.some((index) => gone.includes(index))) expire(module);
          }
          reached.clear();
          next = [entry];
          continue;
        }
        if (stale.length > 0) {
          for (const module of await compile(esbuild, options, stale)) {
            const earlier = known.get(module.index);
            if (earlier?.code !== module.code) changed.add(module.index);
            known.set(module.index, module);
          }
        }
        for (const index of next) reached.add(index);
        next = [...new Set(next.flatMap((index) => known.get(index)!.imports))]
          .filter((index) => !reached.has(index));
      }
      // A module that nothing imports any more is recompiled under another name when it is imported
      // again.
      for (const index of known.keys()) {
        if (!reached.has(index)) expire(known.get(index)!);
      }
      if (changed.size > 0) renew(changed);
      changed.clear();
      const order = inOrder(entry, known);
      const odd = order.find((module) => entangled.has(module.path) || lacksNames(module));
      if (odd !== undefined) {
        const reason = entangled.get(odd.path) ?? "it imports a name that a file does not export";
        return { whole: `${projectPath(root, odd.path)}: ${reason}` };
      }
      const modules = order.map((module) => {
        const before = described.get(module.index);
        const name = nameOf(module.index, module.version).slice("./".length);
        if (before?.name === name) return before;
        const made = describe(module);
        described.set(module.index, made);
        return made;
      });
      return {
        entry: modules.at(-1)!,
        modules: modules.slice(0, -1),
        packages: joinPackages(order),
        inputs: Object.assign({}, ...order.map(({ inputs }) => inputs)),
        warnings: order.flatMap(({ warnings }) => warnings),
        assets: order.flatMap(({ assets }) => assets),
      };
    },
  };
}

/** Marks a resolution that esbuild itself must make, without plugins. */
const own = "modules";

/**
 * Returns a name of the same length for every version, so that the columns of a source map stay
 * valid.
 */
function nameOf(index: number, version: number): string {
  return `./module_${index}_${String(version).padStart(6, "0")}.js`;
}

function inOrder(entry: number, known: ReadonlyMap<number, Compiled>): Compiled[] {
  const seen = new Set<number>();
  const order: Compiled[] = [];
  function visit(index: number): void {
    if (seen.has(index)) return;
    seen.add(index);
    const module = known.get(index);
    if (module === undefined) return;
    module.imports.forEach(visit);
    order.push(module);
  }
  visit(entry);
  return order;
}

function joinPackages(modules: readonly Compiled[]): Map<string, PackageImport> {
  const joined = new Map<string, PackageImport>();
  for (const module of modules) {
    for (const [specifier, { path, names, importers }] of module.packages) {
      const { names: before, importers: others } = joined.get(specifier) ??
        { names: [], importers: [] };
      joined.set(specifier, {
        path,
        names: before && names && [...new Set([...before, ...names])],
        importers: [...others, ...importers],
      });
    }
  }
  return joined;
}

/**
 * Returns the file with everything that is part of its code: JSON, text, and stylesheets, which
 * only browsers read.
 */
export function reachable(
  inputs: EsbuildResult["metafile"]["inputs"],
  start: string,
): EsbuildResult["metafile"]["inputs"] {
  const found: EsbuildResult["metafile"]["inputs"] = {};
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const input = inputs[path];
    if (input === undefined || path in found) continue;
    found[path] = input;
    waiting.push(...input.imports.map((each) => each.path));
  }
  return found;
}

/**
 * Returns a file's state; empty when it does not exist or was written after `began`, so that it may
 * not have been read completely.
 */
function stateOf(path: string, began = Infinity): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.mtimeMs >= began) return "";
  return `${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}`;
}

function projectPath(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
