import { statSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import type { SourceModule } from "../emulator/module_store.ts";
import type {
  Esbuild,
  EsbuildMessage,
  EsbuildPlugin,
  EsbuildResult,
} from "../tools/bundler_and_emulator.ts";
import { type PackageImport, type PackageImports, readImports } from "./package_imports.ts";

/** The application's own files as modules. */
export interface BuiltModules {
  /** The worker's entry, which nothing imports. */
  entry: SourceModule;
  /** Every other file that it reaches. */
  modules: SourceModule[];
  /** Their package imports, in order of evaluation. */
  packages: Map<string, PackageImport>;
  /** esbuild's account of the files, with the paths of what they import. */
  inputs: EsbuildResult["metafile"]["inputs"];
  warnings: EsbuildMessage[];
}

/** Compiles the application's files one by one. */
export interface SourceModules {
  /**
   * Compiles what has changed since the last time. What imports it gets another name with the same code, so that whoever
   * keeps modules by name evaluates both anew, and nothing else.
   *
   * @param options esbuild's options for the worker.
   * @returns null when only a bundle of everything can serve: for CommonJS, and for names that a file does not export.
   * @throws esbuild's error for a file that cannot be compiled.
   */
  build(esbuild: Esbuild, options: SourceOptions): Promise<BuiltModules | null>;
  /** Number of files compiled so far. */
  compiled(): number;
  /** Compiles everything anew, after an installation. */
  forget(): void;
}

/** esbuild's options, as far as they matter here. */
interface SourceOptions extends Record<string, unknown> {
  absWorkingDir: string;
  entryPoints: Record<string, string>;
}

/** Record of a compiled file. */
interface Compiled {
  path: string;
  index: number;
  version: number;
  code: string;
  map: string | null;
  exports: ReadonlySet<string>;
  /** True when it re-exports everything of another file. */
  isOpen: boolean;
  /** Own files that it imports, in order. */
  imports: number[];
  /** Names that it takes of them; null for all. */
  names: Map<string, string[] | null>;
  packages: Map<string, PackageImport>;
  /** Inputs of the compilation, by absolute path. */
  files: Record<string, string>;
  inputs: EsbuildResult["metafile"]["inputs"];
  warnings: EsbuildMessage[];
}

/** Makes the compiler. */
export function createSourceModules(packages: PackageImports): SourceModules {
  const indexes = new Map<string, number>();
  const paths: string[] = [];
  const known = new Map<number, Compiled>();
  /** Folders in which another file could take the place of the one that an import without ending means. */
  let folders = new Map<string, Set<string>>();
  /** Files that ask for others in a way that only bundling them together can serve. */
  const entangled = new Set<string>();
  /** Files with another code than the worker has been told of: a build that fails leaves them to the next one. */
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
          entangled.add(importer);
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

  /** Has it compiled anew by the next build. */
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
      plugins: [packages.plugin, plugin],
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
      if (names.some((name) => inputs[name]!.format === "cjs")) entangled.add(path);
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
            if (to === undefined) return [];
            if (names === null) entangled.add(path);
            return [[specifier, { path: to, names: names ?? [] }]];
          }),
        ),
        files,
        inputs: named(inputs, root),
        warnings: warnings.filter(({ location }) => names.includes(location?.file ?? "")),
      };
    });
  }

  /** The inputs, with what they import by its path instead of by the name in the code. */
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

  /** Whoever imports what has changed, and so on: the module that they see is another one. */
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

  /** A name that a file lacks would fail in the worker without a place; esbuild knows both files of a bundle. */
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
          // Whoever imported them is asked first: the import means another file now, or is the place of the mistake.
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
      // What nothing imports any more is compiled anew when it is imported again, under another name.
      for (const index of known.keys()) {
        if (!reached.has(index)) expire(known.get(index)!);
      }
      if (changed.size > 0) renew(changed);
      changed.clear();
      const order = inOrder(entry, known);
      if (order.some((module) => entangled.has(module.path) || lacksNames(module))) return null;
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
      };
    },
  };
}

/** Marks the question to esbuild itself, which no plugin answers. */
const own = "modules";

/** As long for each version, so that the columns of a source map hold. */
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
  const joined = new Map<string, { path: string; names: Set<string> }>();
  for (const module of modules) {
    for (const [specifier, { path, names }] of module.packages) {
      const entry = joined.get(specifier) ?? { path, names: new Set() };
      for (const name of names) entry.names.add(name);
      joined.set(specifier, entry);
    }
  }
  return new Map(
    [...joined].map(([specifier, { path, names }]) => [specifier, { path, names: [...names] }]),
  );
}

/** The file with what is part of its code: JSON, text, stylesheets that only browsers read. */
function reachable(
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

/** Empty for what does not exist, or was written after `began`: nobody knows whether that was read. */
function stateOf(path: string, began = Infinity): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.mtimeMs >= began) return "";
  return `${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}`;
}

function projectPath(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
