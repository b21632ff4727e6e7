import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Esbuild, EsbuildMessage, EsbuildPlugin } from "../tools/bundler_and_emulator.ts";
import { cssModuleName, moduleSource } from "./asset_imports.ts";

/**
 * Creates the esbuild plugin for files named `*.module.css`. esbuild has CSS modules itself, but
 * names their classes by what else is in the bundle, and worker, scripts and stylesheets are
 * separate bundles: each file is therefore compiled alone.
 *
 * @param root Absolute path of the project.
 * @param as `js` for the names, in worker and scripts; `css` for the rules, in stylesheets.
 */
export function cssModules(esbuild: Esbuild, root: string, as: "js" | "css"): EsbuildPlugin {
  return {
    name: `css-modules-${as}`,
    setup(build) {
      build.onLoad({ filter: /\.module\.css$/ }, async ({ path }) => {
        const found = await compile(esbuild, path, root);
        if ("errors" in found) return found;
        if (as === "css") {
          return { contents: found.css, loader: "css", warnings: found.warnings };
        }
        const imports = found.composed.map((file) => `import ${JSON.stringify(file)};\n`);
        return { contents: imports.join("") + found.js, loader: "js" };
      });
    },
  };
}

interface CompiledModule {
  /** Module that exports the names. */
  js: string;
  /** Rules, those of composed files included. */
  css: string;
  /** Absolute paths of the files that it composes from. */
  composed: string[];
  /** Faults in the rules, with their places in the files. */
  warnings: EsbuildMessage[];
}

async function compile(
  esbuild: Esbuild,
  file: string,
  root: string,
): Promise<CompiledModule | { errors: EsbuildMessage[] }> {
  const files = new Map<string, string>();
  const open = (path: string): { path: string; namespace: string } => {
    const name = cssModuleName(path, root);
    files.set(name, path);
    return { path: name, namespace: "css-module" };
  };
  const plugin: EsbuildPlugin = {
    name: "css-module",
    setup(build) {
      build.onResolve({ filter: /./ }, async (asked) => {
        const { path, kind, resolveDir, pluginData } = asked;
        if (kind === "entry-point" || pluginData !== undefined) return undefined;
        if (path === entry) return open(file);
        // Addresses are resolved where the stylesheet is bundled, which is elsewhere.
        if (kind === "url-token" || kind === "import-rule") {
          const isOwn = !/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(path);
          return { path: isOwn ? resolve(resolveDir, path) : path, external: true };
        }
        const found = await build.resolve(path, { kind, resolveDir, pluginData: entry });
        return found.errors.length > 0 ? undefined : open(found.path);
      });
      build.onLoad({ filter: /./, namespace: "css-module" }, async ({ path }) => {
        const source = files.get(path)!;
        return {
          contents: await readFile(source, "utf8"),
          loader: "local-css",
          resolveDir: resolve(source, ".."),
        };
      });
    },
  };
  const options = {
    stdin: { contents: `export { default } from ${JSON.stringify(entry)};`, resolveDir: root },
    absWorkingDir: root,
    outdir: root,
    bundle: true,
    write: false,
    format: "esm",
    charset: "utf8",
    logLevel: "silent",
    plugins: [plugin],
    metafile: true,
  };
  // Without the names that the files have here.
  const placeOf = (location: EsbuildMessage["location"]): EsbuildMessage["location"] => {
    const source = files.get(location?.file.replace(/^css-module:/, "") ?? "");
    return location && { ...location, file: relative(root, source ?? file) };
  };
  const placed = (messages: EsbuildMessage[]): EsbuildMessage[] =>
    messages.map(({ text, location, notes }) => ({
      text,
      location: placeOf(location),
      notes: notes.map((note) => ({ text: note.text, location: placeOf(note.location) })),
    }));
  try {
    const { outputFiles = [], warnings } = await esbuild.build(options);
    const textOf = (ending: string): string =>
      outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    return {
      js: moduleSource(readNames(textOf(".js"))),
      css: textOf(".css"),
      composed: [...files.values()].filter((path) => path !== file),
      warnings: placed(warnings),
    };
  } catch (error) {
    const { errors } = error as { errors?: EsbuildMessage[] };
    if (!Array.isArray(errors)) throw error;
    return { errors: placed(errors) };
  }
}

/** Reads the entries of the object that esbuild writes for a CSS module. */
function readNames(code: string): [string, string][] {
  return [...code.matchAll(/("(?:[^"\\]|\\.)*"|[^\s:,{}"]+): ("(?:[^"\\]|\\.)*")/g)].map((
    [, key = "", value = ""],
  ) => [key.startsWith('"') ? JSON.parse(key) : key, JSON.parse(value)]);
}

const entry = "framework:css-module";
