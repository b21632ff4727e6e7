import type { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { basename, extname } from "node:path";
import type { Platform } from "../platform/wrangler_file.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors } from "../terminal/output.ts";
import {
  type EsbuildMessage,
  type EsbuildPlugin,
  holdEsbuild,
} from "../tools/bundler_and_emulator.ts";
import { requirePackage } from "../tools/packages.ts";
import { toDiagnostic } from "./diagnostics.ts";

/** Options for {@linkcode bundleWorker}. */
export interface WorkerBundleOptions {
  /** Absolute path of the project, whose esbuild is used. */
  root: string;
  /** Absolute path of the worker's module. */
  main: string;
  /** The platform file, for `rules`, `alias` and `define`; null for a project without one. */
  platform: Pick<Platform, "raw"> | null;
  /**
   * Source of an entry that imports the worker, with the path of its folder. Default: the worker is the entry.
   */
  entry?: { source: string; folder: string };
  /**
   * Returns the source of a module in CommonJS that stands in for one of the platform, such as `cloudflare:workers`, and
   * compiles imported WebAssembly while the code runs. Default: the platform's modules stay imports, and WebAssembly is
   * returned as modules of its own.
   */
  platformModule?(name: string): string;
}

/** A bundled worker. */
export interface WorkerCode {
  /** The worker's own module, with its source map. */
  code: string;
  /** WebAssembly that it imports, by name. */
  modules: { name: string; contents: Uint8Array }[];
}

type ModuleKind = "text" | "data" | "wasm";

/** Imported files that wrangler takes for data unless a rule says otherwise. */
const KINDS: Readonly<Record<string, ModuleKind>> = {
  ".txt": "text",
  ".html": "text",
  ".sql": "text",
  ".bin": "data",
  ".wasm": "wasm",
};

/**
 * Bundles any worker as wrangler does: conditions, imported texts, data and WebAssembly, built-in modules.
 *
 * @param options The project and its worker.
 * @throws {CliError} Exit code 3 for what the bundler found, 2 when it is missing.
 *
 * @example
 * ```ts
 * import { bundleWorker } from "@framework/cli/testing";
 * import { rejects } from "node:assert/strict";
 *
 * const options = { root: "/no/such/project", main: "/no/such/project/index.ts", platform: null };
 * await rejects(bundleWorker(options), { name: "CliError" });
 * ```
 */
export async function bundleWorker(options: WorkerBundleOptions): Promise<WorkerCode> {
  const { root, main, platform, entry } = options;
  requirePackage("esbuild", root);
  const { esbuild, release } = holdEsbuild(root);
  const modules: WorkerCode["modules"] = [];
  const { alias, define } = platform?.raw ?? {};
  try {
    const { outputFiles = [] } = await esbuild.build({
      absWorkingDir: root,
      ...(entry === undefined
        ? { entryPoints: [main] }
        : { stdin: { contents: entry.source, resolveDir: entry.folder, loader: "ts" } }),
      outfile: "worker.js",
      write: false,
      bundle: true,
      format: "esm",
      target: "es2024",
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*", "cloudflare:*"],
      alias: { ...stringsOf(alias) },
      define: {
        "process.env.NODE_ENV": '"development"',
        ...stringsOf(define),
      },
      sourcemap: "inline",
      // The code is written elsewhere.
      sourceRoot: `${root}/`,
      sourcesContent: false,
      logLevel: "silent",
      legalComments: "none",
      plugins: [
        builtinsPlugin(),
        ...(options.platformModule === undefined ? [] : [platformPlugin(options.platformModule)]),
        filesPlugin(kindsOf(platform?.raw["rules"]), options, modules),
      ],
    });
    return { code: outputFiles[0]?.text ?? "", modules };
  } catch (error) {
    const messages = (error as { errors?: EsbuildMessage[] }).errors;
    if (!Array.isArray(messages)) throw error;
    const plain = createColors(false);
    const problems = messages.map((each) => formatDiagnostic(toDiagnostic(each, root), plain));
    throw new CliError(`The worker could not be built.\n${problems.join("\n\n")}`, {
      exitCode: ExitCode.build,
    });
  } finally {
    await release();
  }
}

function stringsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Reads the kinds of imported files by their ending, with the platform file's own rules. */
function kindsOf(rules: unknown): Record<string, ModuleKind> {
  const named: Record<string, ModuleKind> = { Text: "text", Data: "data", CompiledWasm: "wasm" };
  const own: Record<string, ModuleKind> = {};
  for (const rule of Array.isArray(rules) ? rules : []) {
    const { type, globs } = Object(rule);
    const kind = named[type];
    if (kind === undefined || !Array.isArray(globs)) continue;
    for (const glob of globs) own[extname(String(glob)).toLowerCase()] = kind;
  }
  return { ...KINDS, ...own };
}

/** Has packages that import or require a built-in module, with or without its prefix, find it. */
function builtinsPlugin(): EsbuildPlugin {
  const builtins = new Set(builtinModules.filter((name) => !name.startsWith("_")));
  return {
    name: "framework:builtins",
    setup(build) {
      build.onResolve({ filter: /^(?:node:)?[a-z][a-z0-9_/]*$/ }, ({ path, kind, pluginData }) => {
        const name = path.replace(/^node:/, "");
        if (pluginData === SKIP || !builtins.has(name)) return undefined;
        return kind === "require-call"
          ? { path: `node:${name}`, namespace: "framework-required" }
          : { path: `node:${name}`, external: true };
      });
      build.onLoad({ filter: /^/, namespace: "framework-required" }, ({ path }) => ({
        contents: `import all from ${JSON.stringify(path)};\nmodule.exports = all;`,
        loader: "js",
      }));
    },
  };
}

const SKIP = Symbol("resolved by esbuild itself");

function platformPlugin(source: (name: string) => string): EsbuildPlugin {
  return {
    name: "framework:platform",
    setup(build) {
      build.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({
        path,
        namespace: "framework-platform",
      }));
      build.onLoad({ filter: /^/, namespace: "framework-platform" }, ({ path }) => ({
        contents: source(path),
        loader: "js",
      }));
    },
  };
}

function filesPlugin(
  kinds: Record<string, ModuleKind>,
  { platformModule }: WorkerBundleOptions,
  modules: WorkerCode["modules"],
): EsbuildPlugin {
  const isInProcess = platformModule !== undefined;
  const endings = Object.keys(kinds).map((ending) => ending.slice(1).replace(/\W/g, "\\$&"));
  const filter = new RegExp(`\\.(?:${endings.join("|")})(?:\\?module)?$`, "i");
  return {
    name: "framework:files",
    setup(build) {
      build.onResolve({ filter }, async ({ path, pluginData, ...question }) => {
        if (pluginData === SKIP) return undefined;
        const file = path.replace(/\?module$/, "");
        const found = await build.resolve(file, { ...question, pluginData: SKIP });
        if (found.errors.length > 0) return { errors: found.errors };
        const kind = kinds[extname(found.path).toLowerCase()];
        if (kind !== "wasm" || isInProcess) {
          return { path: found.path, namespace: "framework-file" };
        }
        const name = `./${modules.length}-${basename(found.path)}`;
        modules.push({ name, contents: await readFile(found.path) });
        return { path: name, external: true };
      });
      build.onLoad({ filter: /^/, namespace: "framework-file" }, async ({ path }) => {
        const kind = kinds[extname(path).toLowerCase()] ?? "text";
        return { contents: moduleOf(await readFile(path), kind), loader: "js" };
      });
    },
  };
}

/**
 * Returns a module for a file that wrangler takes for text, data or WebAssembly, for tests that run in process.
 *
 * @param file Absolute path.
 * @returns null for any other file.
 *
 * @example
 * ```ts
 * import { workerFileSource } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * equal(workerFileSource("/project/src/index.ts"), null);
 * ```
 */
export function workerFileSource(file: string): string | null {
  const kind = KINDS[extname(file).toLowerCase()];
  return kind === undefined ? null : moduleOf(readFileSync(file), kind);
}

function moduleOf(contents: Buffer, kind: ModuleKind): string {
  if (kind === "text") return `export default ${JSON.stringify(contents.toString("utf8"))};`;
  const bytes = JSON.stringify(contents.toString("base64"));
  const value = kind === "wasm" ? "new WebAssembly.Module(bytes)" : "bytes.buffer";
  return `const bytes = Uint8Array.from(atob(${bytes}), (each) => each.charCodeAt(0));
export default ${value};`;
}
