/** A separately compiled file of the application. */
export interface SourceModule {
  /** Name of the version, such as `module_3_00002.js`: the code of a name never changes. */
  name: string;
  /** Code, which imports other modules by their names and packages as `./package-<number>.js`. */
  code: string;
  map: string | null;
}

/**
 * Packages that a worker imports besides its own code; the same object as long as nothing in them
 * changes.
 */
export interface PackageCode {
  /** Modules by name, all short: they re-export parts of `packages.js`. */
  modules: Record<string, string>;
  /** The code of all packages. */
  code: string;
  map: string | null;
}

/** The worker's code and its source map. */
export interface WorkerCode {
  code: string;
  map: string | null;
  /** Packages; null when the worker contains them. */
  packages: PackageCode | null;
  /** Files of the application that the worker imports. */
  modules: readonly SourceModule[];
  /** State of the files that define its durable objects. */
  objects: string;
}

/** Modules that workerd may request while it runs. */
export interface ModuleStore {
  /** Path of the module that re-exports the current version. */
  current: string;
  /** Source maps by the path of the module: of the packages, files and last two versions that may still run. */
  maps: ReadonlyMap<string, string | null>;
  /** Size of the code published since the last `clear`, in characters. */
  size(): number;
  /**
   * Makes a worker the current version.
   *
   * @returns The path of its module.
   */
  publish(worker: WorkerCode): string;
  /** Removes everything, for a restart of workerd. */
  clear(): void;
  /** Answers a module request of workerd; null for an unknown module. */
  answer(question: Request): Promise<{ name: string; esModule: string } | null>;
}

/**
 * Creates the store. Each version has its own path, because a module is loaded only once; packages
 * and unchanged files keep their paths, so that a version loads only what has changed.
 *
 * @param folder What all paths begin with. Nobody can guess it: the emulator answers whoever reaches its port.
 */
export function createModuleStore(folder: string): ModuleStore {
  const current = `${folder}/current.js`;
  const maps = new Map<string, string | null>();
  const modules = new Map<string, string>();
  let packages: PackageCode | null | undefined;
  let place = folder;
  let path: string | undefined;
  /** Path of the version before, whose requests may still run. */
  let before: string | undefined;
  /** Paths of the application's files in the current version. */
  let present = new Set<string>();
  let versions = 0;
  let size = 0;

  function add(name: string, code: string, map: string | null): string {
    const path = `${place}/${name}`;
    modules.set(path, code);
    maps.set(path, map);
    size += code.length;
    return path;
  }

  return {
    current,
    maps,
    size: () => size,
    publish(worker) {
      versions++;
      if (worker.packages !== packages) {
        packages = worker.packages;
        place = `${folder}/${versions}`;
        // Running code has already been loaded.
        modules.clear();
        for (const [name, code] of Object.entries(packages?.modules ?? {})) add(name, code, null);
        if (packages !== null) add("packages.js", packages.code, packages.map);
      } else if (path !== undefined) {
        modules.delete(path);
      }
      const earlier = present;
      present = new Set(worker.modules.map(({ name }) => `${place}/${name}`));
      for (const path of earlier) if (!present.has(path)) modules.delete(path);
      for (const { name, code, map } of worker.modules) {
        if (!modules.has(`${place}/${name}`)) add(name, code, map);
      }
      // A map is several times the code, which is everything when packages are part of it.
      if (before !== undefined) maps.delete(before);
      before = path;
      return path = add(`worker${versions}.js`, worker.code, worker.map);
    },
    clear() {
      maps.clear();
      modules.clear();
      present.clear();
      packages = path = before = undefined;
      size = 0;
    },
    async answer(question) {
      const specifier = await readSpecifier(question);
      const asked = specifier.slice(specifier.indexOf(`/${folder}/`) + 1);
      const code = asked === current ? passOn(path?.slice(folder.length)) : modules.get(asked);
      if (code === undefined) return null;
      return { name: question.method === "POST" ? specifier : asked, esModule: code };
    },
  };
}

/** Returns the source of a re-export, so that workerd can start before there is a version. */
function passOn(path: string | undefined): string {
  if (path === undefined) return "export {};";
  const from = JSON.stringify(`.${path}`);
  return `export * from ${from};\nexport { default } from ${from};\n`;
}

/**
 * Reads the requested module; the newer module registry, which a compatibility flag enables, sends
 * it in the body and as a URL.
 */
async function readSpecifier(question: Request): Promise<string> {
  if (question.method !== "POST") return new URL(question.url).searchParams.get("specifier") ?? "";
  return (await question.json() as { specifier?: string }).specifier ?? "";
}
