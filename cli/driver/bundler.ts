import { mkdir, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { toDiagnostic } from "./diagnostic.ts";
import { readExports } from "./exports.ts";
import type { BundledModule, BundleRequest, BundleResult, Diagnostic } from "./protocol.ts";
import { type Esbuild, type EsbuildMessage, type EsbuildResult, loadEsbuild } from "./tools.ts";

/** The worker's code and its source map. */
export interface WorkerCode {
  code: string;
  map: string | null;
}

/** Bundles the worker, each time faster than the first. */
export interface Bundler {
  bundle(request: BundleRequest): Promise<BundleResult>;
  /** What the last successful `bundle` kept in memory. */
  latest(): WorkerCode | null;
  dispose(): Promise<void>;
}

/** Makes the bundler. esbuild is loaded from the project when it is first needed. */
export function createBundler(): Bundler {
  let esbuild: Esbuild | undefined;
  let context: Awaited<ReturnType<Esbuild["context"]>> | undefined;
  let contextKey = "";
  let latest: WorkerCode | null = null;

  async function rebuild(esbuild: Esbuild, request: BundleRequest): Promise<EsbuildResult> {
    const options = bundleOptions(request);
    const key = JSON.stringify(options);
    if (key !== contextKey) {
      await context?.dispose();
      context = undefined;
      context = await esbuild.context(options);
      contextKey = key;
    }
    return await context!.rebuild();
  }

  return {
    async bundle(request) {
      esbuild ??= loadEsbuild(request.root);
      try {
        const [result, exports] = await settle([
          rebuild(esbuild, request),
          readExports(esbuild, request),
        ]);
        const code = outputText(result, "worker.js");
        latest = { code, map: outputText(result, "worker.js.map") || null };
        const unwritten = request.outDir && await writeOutput(result, request.outDir);
        if (unwritten) return { ok: false, errors: [unwritten] };
        return {
          ok: true,
          warnings: result.warnings.map(toDiagnostic),
          bytes: byteLength(code),
          gzipBytes: request.outDir === null ? 0 : gzipSync(code, { level: 9 }).byteLength,
          inputs: Object.keys(result.metafile.inputs).filter(isOwnFile),
          exports,
          modules: request.analyze ? readModules(result.metafile) : [],
        };
      } catch (error) {
        const messages = (error as { errors?: EsbuildMessage[] }).errors;
        if (!Array.isArray(messages)) throw error;
        return { ok: false, errors: messages.map(toDiagnostic) };
      }
    },
    latest: () => latest,
    async dispose() {
      await context?.dispose();
      await esbuild?.stop();
    },
  };
}

function readModules({ inputs, outputs }: EsbuildResult["metafile"]): BundledModule[] {
  const worker = Object.entries(outputs).find(([path]) => path.endsWith("worker.js"))?.[1];
  return Object.entries(worker?.inputs ?? {}).map(([path, { bytesInOutput }]) => ({
    path,
    bytes: bytesInOutput,
    imports: inputs[path]?.imports.map((each) => each.path) ?? [],
  }));
}

/** Says what could not be written: a full disk is not a failure of the tools. */
async function writeOutput(
  result: EsbuildResult,
  folder: string,
): Promise<Diagnostic | undefined> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { path, contents } of result.outputFiles ?? []) await writeFile(path, contents);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { message: `The build cannot be written: ${reason}`, notes: [] };
  }
}

/** Waits for both, so that no half of a failed build goes on behind the next one. */
async function settle<A, B>([first, second]: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return [a.value, b.value];
}

/** esbuild's options for the worker: the same in development and production, but for size. */
export function bundleOptions(request: BundleRequest): Record<string, unknown> {
  return {
    absWorkingDir: request.root,
    entryPoints: { worker: request.entry },
    outdir: request.outDir ?? join(request.root, ".framework", "memory"),
    write: false,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    // Packages that name a built-in module without its prefix mean the same module, which workerd has.
    alias: Object.fromEntries(plainBuiltins().map((name) => [name, `node:${name}`])),
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    define: { "process.env.NODE_ENV": request.minify ? '"production"' : '"development"' },
    minify: request.minify,
    sourcemap: request.sourcemap ? "linked" : false,
    sourcesContent: true,
    metafile: true,
    logLevel: "silent",
    legalComments: "none",
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
