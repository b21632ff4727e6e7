import nodeModule from "node:module";
import { importedSource } from "@framework/cli/testing";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TestingError } from "../errors.ts";

/** Part of the module hooks API (Deno, Node 22.15 and newer) that is used here. */
interface HooksApi {
  registerHooks?(hooks: {
    resolve(
      specifier: string,
      context: unknown,
      next: (specifier: string, context: unknown) => unknown,
    ): unknown;
    load(
      url: string,
      context: unknown,
      next: (url: string, context: unknown) => { format?: string },
    ): unknown;
  }): unknown;
}

// An imported stylesheet, image, text or JSON file becomes a module, as in the bundler's worker, and
// `cloudflare:workers` resolves to this package's module. The hook is registered at the top level
// because it stays: Deno would report one registered in a test as a leak. In workerd the function
// exists but throws; there are no modules to load there.
if (globalThis.navigator?.userAgent !== "Cloudflare-Workers") {
  // With this file's own extension: .ts in the sources, .js on npm.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  const platform: Record<string, string> = {
    "cloudflare:workers": new URL(`../cloudflare${ending}`, import.meta.url).href,
    "cloudflare:email": new URL(`../cloudflare_email${ending}`, import.meta.url).href,
    "cloudflare:workflows": new URL(`../cloudflare_workflows${ending}`, import.meta.url).href,
  };
  (nodeModule as unknown as HooksApi).registerHooks?.({
    resolve: (specifier, context, next) => {
      const url = platform[specifier];
      return url === undefined
        ? next(specifier, context)
        : { url, format: "module", shortCircuit: true };
    },
    load(url, context, next) {
      const source = isImport(context) && url.startsWith("file:")
        ? importedSource(fileURLToPath(url))
        : null;
      if (source !== null) return { format: "module", source, shortCircuit: true };
      const loaded = next(url, context);
      // Deno passes no format to a hook, and would then parse a required JSON file as a script.
      const isUnknown = /\.json(?:\?|$)/.test(url) && loaded.format === undefined;
      return isUnknown ? { ...loaded, format: "json" } : loaded;
    },
  });
}

/** Returns true for an import without attributes: what a package requires is not a module. */
function isImport(context: unknown): boolean {
  const { conditions = [], importAttributes = {} } = context as {
    conditions?: readonly string[];
    importAttributes?: Record<string, string>;
  };
  return !conditions.includes("require") && importAttributes["type"] === undefined;
}

/**
 * Imports a module of the application by its absolute path. Under vitest, Vite transforms this file
 * and the modules that it imports; elsewhere the runtime loads the module itself.
 *
 * @throws {TestingError} `VITEST_CONFIG` when vitest's configuration does not inline this package, `RUNNER` when the
 * runner is one of Node alone.
 */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    throw explainLoading(error, file);
  }
}

/**
 * Explains a failed import: Node's own loader does not support JSX, and before 22.18 no TypeScript.
 * Vite never throws this error.
 */
function explainLoading(error: unknown, file: string): unknown {
  const isUnknown = (error as { code?: unknown } | null)?.code === "ERR_UNKNOWN_FILE_EXTENSION";
  if (!isUnknown) return error;
  if (!("__vitest_worker__" in globalThis)) {
    return new TestingError(
      "RUNNER",
      `${file} could not be loaded: Node itself reads no such file. Run the tests with vitest or \`deno test\`, as ` +
        "`framework test` does.",
      { cause: error },
    );
  }
  return new TestingError(
    "VITEST_CONFIG",
    `${file} could not be loaded, because vitest does not transform @framework/testing with Vite. Export defineTestConfig() of ` +
      "@framework/testing/vitest from vitest.config.ts.",
    { cause: error },
  );
}
