import { mkdir, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { assetsVariable } from "../app/entry.ts";
import { assetsFolder } from "../client/assets.ts";
import type { WorkerCode } from "../emulator/module_store.ts";
import type { ServerTarget } from "../platform/server_settings.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import {
  type Esbuild,
  type EsbuildMessage,
  type EsbuildResult,
  type HeldEsbuild,
  holdEsbuild,
  type OutputFile,
} from "../tools/bundler_and_emulator.ts";
import {
  assetOptions,
  assetsSource,
  bundleStyles,
  clientOptions,
  findServerImports,
  findStrayClients,
  formOptions,
  hasForms,
  importedFiles,
  readFormScript,
  readHotFiles,
  readScripts,
} from "./browser_bundle.ts";
import { importLoaders } from "./asset_imports.ts";
import { cssModules } from "./css_modules.ts";
import { toDiagnostic } from "./diagnostics.ts";
import { createExportReader, stateOfObjects } from "./export_reader.ts";
import { bundledFiles, packageFolders } from "./notices.ts";
import type { BundledModule, BundleRequest, BundleResult } from "./protocol.ts";
import { expectUnused, findUnused, leaveOut } from "./unused_parts.ts";
import {
  type BundleOptions,
  createRebuild,
  createWorkerBundler,
  type WorkerBundle,
} from "./worker_bundle.ts";

/** Bundler for the worker whose rebuilds are faster than the first build. */
export interface Bundler {
  bundle(request: BundleRequest): Promise<BundleResult>;
  /** Worker of the last successful `bundle`, kept in memory; null before it. */
  latest(): WorkerCode | null;
  dispose(): Promise<void>;
}

/** Creates the bundler. It loads esbuild from the project at the first use. */
export function createBundler(): Bundler {
  let held: HeldEsbuild | undefined;
  const worker = createWorkerBundler();
  const clients = createRebuild();
  const exports = createExportReader();
  let latest: WorkerCode | null = null;

  async function build(esbuild: Esbuild, request: BundleRequest): Promise<BundleResult> {
    const inMemory = request.dev && request.outDir === null;
    const [{ result, packages, modules, whole }, exported, client, server] = await settle([
      buildWorker(esbuild, request, inMemory),
      exports.read(esbuild, request),
      request.clients.length === 0 ? null : clients.build(esbuild, clientOptions(esbuild, request)),
      request.server ? esbuild.build(serverOptions(request, request.server.entry)) : null,
    ]);
    const { scripts, errors } = client
      ? readScripts(client.metafile, request)
      : { scripts: {}, errors: [] };
    const forms = hasForms(result.metafile) ? await esbuild.build(formOptions(request)) : null;
    const sheets = await bundleStyles(esbuild, request, result.metafile);
    const strays = await findStrayClients(result.metafile, request);
    const mistakes = [...errors, ...strays, ...exported.errors];
    if (mistakes.length > 0) return { ok: false, errors: mistakes };
    const assets = {
      scripts: { ...scripts, ...forms && readFormScript(forms.metafile) },
      styles: sheets.styles,
    };
    const map = outputText(result, "worker.js.map") || null;
    const code = outputText(result, "worker.js") + assetsSource(assetsVariable, assets) +
      (map === null ? "" : MAP_COMMENT);
    latest = {
      code,
      map,
      packages,
      modules,
      objects: stateOfObjects(result.metafile, request),
    };
    const ofBrowser = distinct([
      ...client?.outputFiles ?? [],
      ...forms?.outputFiles ?? [],
      ...sheets.files,
      ...importedFiles(result, request),
    ]);
    const unwritten = await writeOutput([
      ...ofBrowser,
      ...server?.outputFiles ?? [],
      ...(request.outDir === null ? [] : withAssets(result, code)),
    ]);
    if (unwritten) return { ok: false, errors: [unwritten] };
    const lasts = request.outDir !== null;
    return {
      ok: true,
      warnings: [...result.warnings, ...sheets.warnings].map((each) =>
        toDiagnostic(each, request.root)
      ),
      bytes: byteLength(code),
      gzipBytes: lasts ? gzipSize(code) : 0,
      inputs: [...new Set([...Object.keys(result.metafile.inputs), ...sheets.inputs])]
        .filter(isOwnFile),
      exports: exported.names,
      packages: {
        program: packageFolders(bundledFiles(result, server)),
        browser: packageFolders([...bundledFiles(client, forms), ...sheets.inputs]),
      },
      modules: lasts ? readModules(result.metafile) : [],
      browser: { assets, gzipBytes: lasts ? compressedSizes(ofBrowser) : {} },
      hot: readHotFiles(client && inMemory ? { worker: result.metafile, client } : null, request),
      whole,
    };
  }

  async function buildWorker(
    esbuild: Esbuild,
    request: BundleRequest,
    inMemory: boolean,
  ): Promise<WorkerBundle> {
    const options = workerOptions(esbuild, request);
    const isSmall = request.minify && request.outDir !== null;
    if (!isSmall) return await worker.build(esbuild, options, inMemory);
    const expected = await expectUnused(request);
    const built = await worker.build(esbuild, leaveOut(options, expected), inMemory);
    const unused = await findUnused(built.result.metafile, request);
    if (unused.symmetricDifference(expected).size === 0) return built;
    return await worker.build(esbuild, leaveOut(options, unused), inMemory);
  }

  return {
    async bundle(request) {
      const { esbuild } = held ??= holdEsbuild(request.root);
      try {
        return await build(esbuild, request);
      } catch (error) {
        const messages = (error as { errors?: EsbuildMessage[] }).errors;
        if (!Array.isArray(messages)) throw error;
        const errors = await findServerImports(esbuild, request, messages) ??
          messages.map((each) => toDiagnostic(each, request.root)).map(explainPlatformImport);
        return { ok: false, errors };
      }
    },
    latest: () => latest,
    async dispose() {
      await Promise.all([worker.dispose(), clients.dispose()]);
      await held?.release();
    },
  };
}

/** Last line of a worker with a source map, where wrangler and Node look for its address. */
const MAP_COMMENT = "//# sourceMappingURL=worker.js.map\n";

/** Returns the worker's files with the final code. */
function withAssets({ outputFiles = [] }: EsbuildResult, code: string): OutputFile[] {
  return outputFiles.flatMap((file) =>
    file.path.endsWith("worker.js")
      ? [{ ...file, contents: new TextEncoder().encode(code) }]
      : file.path.endsWith("worker.js.map")
      ? [file]
      : []
  );
}

/** Returns each file once: worker, scripts and stylesheets may import the same image. */
function distinct(files: readonly OutputFile[]): OutputFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

/** esbuild options for the worker with the files that it imports. */
function workerOptions(esbuild: Esbuild, request: BundleRequest): BundleOptions {
  return { ...bundleOptions(request), plugins: [cssModules(esbuild, request.root, "js")] };
}

function readModules({ inputs, outputs }: EsbuildResult["metafile"]): BundledModule[] {
  const worker = Object.entries(outputs).find(([path]) => path.endsWith("worker.js"))?.[1];
  return Object.entries(worker?.inputs ?? {}).map(([path, { bytesInOutput }]) => ({
    path,
    bytes: bytesInOutput,
    imports: inputs[path]?.imports.map((each) => each.path) ?? [],
  }));
}

/** Compressed sizes by address, without source maps, which a page does not load. */
function compressedSizes(files: readonly OutputFile[]): Record<string, number> {
  return Object.fromEntries(
    files.filter(({ path }) => !path.endsWith(".map"))
      .map(({ path, contents }) => [`${assetsFolder}/${basename(path)}`, gzipSize(contents)]),
  );
}

function gzipSize(data: string | Uint8Array): number {
  return gzipSync(data, { level: 9 }).byteLength;
}

/**
 * Writes the output; errors name what could not be written, because a full disk is not a failure of
 * the tools.
 */
async function writeOutput(
  files: readonly Pick<OutputFile, "path" | "contents">[],
): Promise<Diagnostic | undefined> {
  try {
    await Promise.all(files.map(async ({ path, contents }) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, contents);
    }));
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { message: `The build could not be written: ${reason}`, notes: [] };
  }
}

/** Waits for all promises, so that no part of a failed build continues during the next one. */
async function settle<T extends readonly unknown[]>(
  parts: T,
): Promise<{ -readonly [Part in keyof T]: Awaited<T[Part]> }> {
  const results = await Promise.allSettled(parts);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}

/** Request for a bundle, as far as its options depend on it. */
type OptionsRequest = Pick<
  BundleRequest,
  "root" | "entry" | "outDir" | "tsconfig" | "minify" | "sourcemap" | "server"
>;

/**
 * esbuild options for the worker: the same in development and production, except for size. For a server the packages are
 * those for its runtime.
 */
export function bundleOptions(request: OptionsRequest): BundleOptions {
  return {
    absWorkingDir: request.root,
    entryPoints: { worker: request.entry },
    outdir: request.outDir ?? join(request.root, ".framework", "memory"),
    write: false,
    bundle: true,
    format: "esm",
    target: "es2024",
    ...(request.server ? serverPlatform(request.server.target) : {
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*", "cloudflare:*"],
    }),
    // Packages that import a built-in module without its prefix mean the module that workerd has.
    alias: Object.fromEntries(plainBuiltins().map((name) => [name, `node:${name}`])),
    // Browsers get stylesheets and images as separate files.
    loader: { ...importLoaders, ".css": "empty" },
    ...assetOptions,
    tsconfig: request.tsconfig,
    define: { "process.env.NODE_ENV": request.minify ? '"production"' : '"development"' },
    minify: request.minify,
    // MAP_COMMENT names it: esbuild would name one among the files for browsers.
    sourcemap: request.sourcemap ? "external" : false,
    sourcesContent: true,
    metafile: true,
    logLevel: "silent",
    legalComments: "none",
  };
}

function serverPlatform(target: ServerTarget): object {
  return {
    platform: "node",
    mainFields: ["module", "main"],
    conditions: target === "deno" ? ["deno", "node"] : ["node"],
    external: ["node:*"],
    // For packages in CommonJS, which ask for built-in modules in the middle of their code.
    banner: {
      js: 'import { createRequire as $createRequire } from "node:module";\n' +
        "const require = $createRequire(import.meta.url);",
    },
  };
}

/** esbuild options for the program that serves the built application, which stays a file of its own. */
function serverOptions(request: OptionsRequest, entry: string): object {
  const { external, ...options } = bundleOptions({ ...request, entry, sourcemap: false });
  return {
    ...options,
    entryPoints: { server: entry },
    external: [...external as string[], "./worker.js"],
  };
}

/** Says of a module that only Workers have what to do without it. */
function explainPlatformImport(diagnostic: Diagnostic): Diagnostic {
  const [, name] = /^Could not resolve "(cloudflare:[\w-]+)"/.exec(diagnostic.message) ?? [];
  if (name === undefined) return diagnostic;
  return {
    ...diagnostic,
    message:
      `"${name}" exists on Workers only. Take the environment from the request's context, and build what ` +
      "needs the module for Workers",
    notes: [],
  };
}

function plainBuiltins(): string[] {
  return builtinModules.filter((name) => !name.includes(":") && !name.startsWith("_")).sort();
}

function outputText(result: EsbuildResult, name: string): string {
  return result.outputFiles?.find((file) => file.path.endsWith(name))?.text ?? "";
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function isOwnFile(input: string): boolean {
  return !input.includes("node_modules/") && !input.startsWith("../") && !input.includes(":");
}
