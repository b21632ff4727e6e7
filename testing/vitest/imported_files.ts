import { importedSource, importLoaders, workerFileSource } from "@framework/cli/testing";
import { extname } from "node:path";

/** Part of a Vite plugin that is used here. */
interface ImportPlugin {
  name: string;
  enforce: "pre";
  resolveId(
    this: PluginContext,
    source: string,
    importer: string | undefined,
    options: object,
  ): Promise<string | undefined>;
  load(this: PluginContext, id: string): string | undefined;
}

interface PluginContext {
  resolve(
    source: string,
    importer: string | undefined,
    options: object,
  ): Promise<{ id: string } | null>;
  addWatchFile(file: string): void;
}

/** Mark of this plugin's modules; other plugins leave names with a NUL alone. */
const mark = "\0framework:";

/** Files that wrangler takes for text, data and WebAssembly beside those of applications. */
const ofWorkers = [".html", ".sql", ".bin", ".wasm"];

/**
 * Creates the Vite plugin by which tests import images, texts and CSS modules as the application does, and data and
 * WebAssembly as a worker does: Vite would put small images into the code, and give the address of a text.
 *
 * @param inPool True in the worker pool, which itself imports texts, data and WebAssembly as wrangler does.
 */
export function createImportedFiles(inPool: boolean): ImportPlugin {
  function isImported(path: string): boolean {
    const ending = extname(path).toLowerCase();
    if (inPool && (ofWorkers.includes(ending) || ending === ".txt")) return false;
    return path.endsWith(".module.css") || ending in importLoaders || ofWorkers.includes(ending);
  }

  return {
    name: "framework:imported-files",
    enforce: "pre",
    async resolveId(source, importer, options) {
      // Generated code names it so: a module as the platform compiles it.
      const asked = source.replace(/\.wasm\?module$/, ".wasm");
      if (asked.startsWith("\0") || !isImported(asked)) return undefined;
      const found = await this.resolve(asked, importer, { ...options, skipSelf: true });
      const file = found?.id ?? "";
      // With the ending of code: that of an image or a stylesheet would call other plugins.
      return isImported(file) && !file.startsWith("\0") ? `${mark}${file}.js` : undefined;
    },
    load(id) {
      if (!id.startsWith(mark)) return undefined;
      const file = id.slice(mark.length, -".js".length);
      this.addWatchFile(file);
      return importedSource(file) ?? workerFileSource(file) ?? undefined;
    },
  };
}
