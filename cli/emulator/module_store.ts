/** A file of the application, compiled by itself. */
export interface SourceModule {
  /** Name of the version, as in `module_3_00002.js`: the code of a name never changes. */
  name: string;
  /** Imports other modules by their names, and packages as `./package-<number>.js`. */
  code: string;
  map: string | null;
}

/**
 * Packages that a worker imports besides its own code; the same object as long as nothing in it
 * changes.
 */
export interface PackageCode {
  /** Modules by name, all of them short: they pass on parts of `packages.js`. */
  modules: Record<string, string>;
  /** The code of all packages. */
  code: string;
  map: string | null;
}

/** The worker's code and its source map. */
export interface WorkerCode {
  code: string;
  map: string | null;
  /** Its packages; null when it stands alone. */
  packages: PackageCode | null;
  /** Files of the application that it imports. */
  modules: readonly SourceModule[];
  /** State of the files that its durable objects are made of. */
  objects: string;
}

/** The modules that workerd may ask for while it runs. */
export interface ModuleStore {
  /** Path of the module that passes on the present version, whichever it is. */
  current: string;
  /** Source maps by the path of the module. */
  maps: ReadonlyMap<string, string | null>;
  /** Size of everything published since the last `clear`, in characters. */
  size(): number;
  /**
   * Makes a worker the present version.
   *
   * @returns The path of its module.
   */
  publish(worker: WorkerCode): string;
  /** Forgets everything, for a start of workerd. */
  clear(): void;
  /** Answers a question of workerd's; null for what is not there. */
  answer(question: Request): Promise<{ name: string; esModule: string } | null>;
}

/**
 * Makes the store. Each version has a path of its own, because a module that was loaded once stays loaded; the packages
 * and the application's files keep theirs for as long as they are the same, so that a version loads what has changed.
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
  /** Paths of the application's files that the present version has. */
  let present = new Set<string>();
  let versions = 0;
  let size = 0;

  function add(name: string, code: string, map: string | null): string {
    const path = `${place}/${name}`;
    modules.set(path, code);
    maps.set(path, map);
    size += code.length + (map?.length ?? 0);
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
        // What runs has been loaded.
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
      return path = add(`worker${versions}.js`, worker.code, worker.map);
    },
    clear() {
      maps.clear();
      modules.clear();
      present.clear();
      packages = path = undefined;
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

/** Before there is a version, workerd can start already. */
function passOn(path: string | undefined): string {
  if (path === undefined) return "export {};";
  const from = JSON.stringify(`.${path}`);
  return `export * from ${from};\nexport { default } from ${from};\n`;
}

/** The newer module registry, which a compatibility flag chooses, asks in a body and by addresses. */
async function readSpecifier(question: Request): Promise<string> {
  if (question.method !== "POST") return new URL(question.url).searchParams.get("specifier") ?? "";
  return (await question.json() as { specifier?: string }).specifier ?? "";
}
