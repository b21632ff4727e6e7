import nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { TestingError } from "../errors.ts";

/** The hooks that Deno and Node from 22.15 have, as far as they are used here. */
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

// An imported stylesheet is an empty module here; a bundler takes it out of the worker. What the platform
// calls `cloudflare:workers` is this package's own. This stands outside of any function because the hook
// lasts: begun within a test, Deno would call it a leak. workerd has the function, and it throws; there are no modules to load there.
if (globalThis.navigator?.userAgent !== "Cloudflare-Workers") {
  // With the ending that this file has.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  const platform = new URL(`../cloudflare${ending}`, import.meta.url).href;
  (nodeModule as unknown as HooksApi).registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier === "cloudflare:workers"
        ? { url: platform, format: "module", shortCircuit: true }
        : next(specifier, context),
    load(url, context, next) {
      if (/\.css(?:\?|$)/.test(url)) {
        return { format: "module", source: "export default {};", shortCircuit: true };
      }
      const loaded = next(url, context);
      // Deno tells a hook no format, and then takes JSON that a package requires for a script.
      const isUnknown = /\.json(?:\?|$)/.test(url) && loaded.format === undefined;
      return isUnknown ? { ...loaded, format: "json" } : loaded;
    },
  });
}

/**
 * Imports a module of the application by its absolute path. Under vitest this file goes through
 * Vite, and so does what it imports; elsewhere the runtime loads the module itself.
 *
 * @throws {TestingError} `VITEST_CONFIG` when vitest was not told to let this file go through Vite.
 */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    throw explainLoading(error, file);
  }
}

/** Node's own loader knows no JSX, and before version 22.18 no TypeScript; Vite never says this of a module. */
function explainLoading(error: unknown, file: string): unknown {
  const isUnknown = (error as { code?: unknown } | null)?.code === "ERR_UNKNOWN_FILE_EXTENSION";
  if (!isUnknown || !("__vitest_worker__" in globalThis)) return error;
  return new TestingError(
    "VITEST_CONFIG",
    `${file} cannot be loaded, because @framework/testing does not go through Vite. Export defineTestConfig() of ` +
      "@framework/testing/vitest from vitest.config.ts.",
    { cause: error },
  );
}
