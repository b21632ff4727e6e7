import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import {
  type EsbuildMessage,
  type EsbuildPlugin,
  type EsbuildResult,
  holdEsbuild,
} from "../tools/bundler_and_emulator.ts";
import { bundleOptions } from "./bundler.ts";
import { toDiagnostic } from "./diagnostics.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";

/** Program that loads files of the application in a thread, apart from the platform. */
export interface ThreadProgram {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the file with the compiler's options. */
  tsconfig: string;
  /**
   * Source of the program. It sets `frameworkConsole`, to which output of the files goes, and
   * `frameworkPlatform`, the exports of all `cloudflare:` modules.
   */
  contents: string;
  /** True for the branches that bundlers keep for production. */
  production: boolean;
  /** True where the thread imports the installed library as it is. Default: it is bundled. */
  importsLibrary?: boolean;
}

/** A bundled program; or the errors that prevent bundling. */
export interface ThreadBundle {
  /** Code of the program. */
  code: string;
  /** Files outside of node_modules that it contains, relative to the project. */
  inputs: string[];
  /** Errors; empty when the program can run. */
  errors: Diagnostic[];
}

/** Bundles a program for a thread as the worker is bundled. */
export async function bundleThread(
  { root, tsconfig, contents, production, importsLibrary = false }: ThreadProgram,
): Promise<ThreadBundle> {
  const options = bundleOptions({
    root,
    tsconfig,
    outDir: null,
    minify: false,
    sourcemap: false,
    entry: "",
  });
  const { esbuild, release } = holdEsbuild(root);
  let built: EsbuildResult;
  try {
    built = await esbuild.build({
      ...options,
      entryPoints: undefined,
      stdin: { contents, resolveDir: root, sourcefile: "check.js" },
      define: {
        ...options["define"] as object,
        // Output of the loaded files is not output of the command.
        console: "frameworkConsole",
        "navigator.userAgent": '"Cloudflare-Workers"',
        "process.env.NODE_ENV": production ? '"production"' : '"development"',
      },
      plugins: [
        platformModules,
        emptyDocuments,
        ...(importsLibrary ? [installedLibrary] : []),
      ],
    });
  } catch (error) {
    const messages = (error as { errors?: EsbuildMessage[] }).errors;
    if (!Array.isArray(messages)) throw error;
    const errors = messages.map((each) => toDiagnostic(each, root));
    return { code: "", inputs: [], errors };
  } finally {
    await release();
  }
  const inputs = Object.keys(built.metafile.inputs)
    .filter((path) => !path.includes("node_modules/") && !path.includes(":"));
  const code = built.outputFiles?.find(({ path }) => path.endsWith(".js"))?.text ?? "";
  return { code, inputs, errors: [] };
}

/** Part of esbuild's plugin API that is used here. */
interface PluginBuild {
  onResolve(filter: object, answer: (asked: { path: string }) => object): void;
  onLoad(
    filter: object,
    answer: (asked: { path: string }) => object | undefined | Promise<object | undefined>,
  ): void;
}

/**
 * Empty files where JSON is expected: a shell has emptied the file to which it writes the document of
 * the routes, one of which may import it.
 */
const emptyDocuments = {
  name: "empty-documents",
  setup(build: PluginBuild) {
    build.onLoad({ filter: /\.json$/, namespace: "file" }, async ({ path }) => {
      return (await stat(path)).size === 0 ? { contents: "{}", loader: "json" } : undefined;
    });
  },
};

const INSTALLED = /[\\/]node_modules[\\/]@framework[\\/]auth[\\/].*\.js$/;

/**
 * Leaves the installed library where it is, from where the thread imports it: to load it takes a fraction of what
 * it takes to bundle it, which is most of such a program.
 */
const installedLibrary: EsbuildPlugin = {
  name: "installed-library",
  setup(build) {
    build.onResolve({ filter: /^@framework\/auth(?:\/|$)/ }, async ({ path, ...asked }) => {
      if (asked.pluginData === INSTALLED) return undefined;
      const found = await build.resolve(path, { ...asked, pluginData: INSTALLED });
      if (found.errors.length > 0 || !INSTALLED.test(found.path)) return undefined;
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

/** Modules that only the platform has. */
const platformModules = {
  name: "platform-modules",
  setup(build: PluginBuild) {
    build.onResolve(
      { filter: /^cloudflare:/ },
      ({ path }) => ({ path, namespace: "framework-platform" }),
    );
    build.onLoad(
      { filter: /./, namespace: "framework-platform" },
      () => ({ contents: "module.exports = frameworkPlatform;", loader: "js" }),
    );
  },
};
