import nodeModule from "node:module";
import { pathToFileURL } from "node:url";

/** The hooks that Deno and Node from 22.15 have, as far as they are used here. */
interface HooksApi {
  registerHooks?(hooks: {
    load(
      url: string,
      context: unknown,
      next: (url: string, context: unknown) => unknown,
    ): unknown;
  }): unknown;
}

// An imported stylesheet is an empty module here; a bundler takes it out of the worker. This stands
// outside of any function because the hook lasts: begun within a test, Deno would call it a leak.
// workerd has the function, and it throws; there are no modules to load there.
if (globalThis.navigator?.userAgent !== "Cloudflare-Workers") {
  (nodeModule as unknown as HooksApi).registerHooks?.({
    load(url, context, next) {
      if (!/\.css(?:\?|$)/.test(url)) return next(url, context);
      return { format: "module", source: "export default {};", shortCircuit: true };
    },
  });
}

/**
 * Imports a module of the application by its absolute path. Under vitest this file goes through
 * Vite, and so does what it imports; elsewhere the runtime loads the module itself.
 */
export function importModule(file: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}
