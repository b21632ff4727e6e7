import type { EsbuildPlugin } from "../tools/bundler_and_emulator.ts";

/** An import from an installed package. */
export interface PackageImport {
  /** Absolute path of the package's module. */
  path: string;
  /** Imported names, in order; empty for a side-effect import, null for all. */
  names: string[] | null;
  /** Absolute paths of the files that import it. */
  importers: string[];
}

/** Keeps installed packages out of a bundle and records what it imports from them. */
export interface PackageImports {
  plugin: EsbuildPlugin;
  /** Absolute path of the module behind an import in the bundle. */
  pathOf(specifier: string): string | undefined;
  /**
   * Reasons, by absolute path of the file, for which it must be bundled with what it imports. Who compiles a file again
   * removes its own.
   */
  entangled: Map<string, string>;
  /** Forgets all resolutions, after an installation. */
  forget(): void;
}

/**
 * Creates the plugin: an import of a module in `node_modules` becomes `./package-<number>.js`,
 * always the same one. Linked packages, which are elsewhere, are the application's own code.
 */
export function createPackageImports(): PackageImports {
  const numbers = new Map<string, number>();
  const paths: string[] = [];
  const resolved = new Map<string, object>();
  const entangled = new Map<string, string>();

  function nameOf(path: string): string {
    const number = numbers.get(path) ?? paths.push(path) - 1;
    numbers.set(path, number);
    return `./package-${number}.js`;
  }

  const plugin: EsbuildPlugin = {
    name: "packages",
    setup(build) {
      async function resolve(
        path: string,
        { kind, resolveDir, importer }: { kind: string; resolveDir: string; importer: string },
      ): Promise<object | undefined> {
        const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: own });
        const isPackage = found.errors.length === 0 && !found.external &&
          found.namespace === "file" && /[\\/]node_modules[\\/].*\.[cm]?[jt]sx?$/.test(found.path);
        if (!isPackage) return undefined;
        if (kind !== "import-statement") {
          entangled.set(importer, `it loads the package ${path} with ${callOf(kind)}`);
          return undefined;
        }
        return { path: nameOf(found.path), external: true };
      }
      // Excludes relative and absolute paths, the project's own import maps, and the platform's
      // modules.
      build.onResolve({ filter: /^[^./#]/ }, (asked) => {
        if (asked.pluginData !== undefined || asked.kind === "entry-point") return undefined;
        if (/^([a-z]:[\\/]|node:|cloudflare:)/i.test(asked.path)) return undefined;
        const key = JSON.stringify([asked.path, asked.kind, asked.resolveDir]);
        const known = resolved.get(key);
        if (known) return known;
        return resolve(asked.path, asked).then((answer) => {
          // A missing package may be installed before the next build.
          if (answer) resolved.set(key, answer);
          return answer;
        });
      });
    },
  };
  return {
    plugin,
    pathOf(specifier) {
      const [, number] = /^\.\/package-(\d+)\.js$/.exec(specifier) ?? [];
      return number === undefined ? undefined : paths[Number(number)];
    },
    entangled,
    forget: () => resolved.clear(),
  };
}

/** Marks a resolution that esbuild itself must make, without plugins. */
const own = "packages";

/** Returns the call of an import that is no statement, for messages. */
export function callOf(kind: string): string {
  return kind === "dynamic-import" ? "import()" : "require()";
}

/**
 * Reads a module's imports in evaluation order.
 *
 * @param code esbuild's output, not minified: its imports stand at the beginning of a line.
 * @param which The specifiers that count.
 * @returns Names by specifier; null for one of which it takes everything.
 */
export function readImports(code: string, which: RegExp): Map<string, string[] | null> {
  const imports = new Map<string, string[] | null>();
  for (const [, clause = "", specifier = ""] of code.matchAll(statement)) {
    if (!which.test(specifier)) continue;
    const names = imports.get(specifier);
    if (names === null || clause.includes("*")) imports.set(specifier, null);
    else imports.set(specifier, [...new Set([...names ?? [], ...namesOf(clause)])]);
  }
  return imports;
}

const statement = /^(?:import|export)\b([^"';]*?)(?:\bfrom )?"(\.\/[\w-]+\.js)";$/gm;

/** Returns `default`, `b` and `c` for `a, { b, c as d }`. */
function namesOf(clause: string): string[] {
  const [, before = "", inside = ""] = /^([^{]*)(?:\{([^}]*)\})?/.exec(clause.trim()) ?? [];
  const listed = inside.split(",").map((each) => each.trim().split(/\s+/)[0] ?? "");
  return [...before.trim() === "" ? [] : ["default"], ...listed.filter((name) => name !== "")];
}
