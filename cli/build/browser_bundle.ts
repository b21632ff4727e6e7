import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import {
  type AppAssets,
  assetName,
  assetsFolder,
  formScript,
  hasClientDirective,
} from "../client/assets.ts";
import type { ModuleKind } from "../runtime/manifest.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import type {
  Esbuild,
  EsbuildMessage,
  EsbuildResult,
  OutputFile,
} from "../tools/bundler_and_emulator.ts";
import { importLoaders } from "./asset_imports.ts";
import { cssModules } from "./css_modules.ts";
import { withArticle } from "./export_reader.ts";
import { tailwind } from "./tailwind.ts";
import type { BundleRequest, HotFiles } from "./protocol.ts";

/** Output folder of browser files, below the folder of static files. */
export function assetsOutput({ root, outDir }: Pick<BundleRequest, "root" | "outDir">): string {
  return join(outDir ?? join(root, ".framework"), "assets", assetsFolder);
}

/**
 * Expression for the uncaught errors of a page, which are collected from its first evaluation on: scripts of client
 * files may run before the script of the development server does, which takes the errors over.
 */
export const errorCollector: string =
  '(globalThis[Symbol.for("framework.errors")] ??= ((events) => { ' +
  'for (const type of ["error", "unhandledrejection"]) ' +
  "addEventListener(type, (event) => events.push(event)); return events; })([]))";

/** esbuild's options for the scripts of client files: one for each, with what they share in chunks. */
export function clientOptions(
  esbuild: Esbuild,
  request: BundleRequest,
): Record<string, unknown> {
  const { clients, minify, dev } = request;
  return {
    ...common(request),
    entryPoints: [
      ...clients.map(({ entry, name }) => ({ in: entry, out: name })),
      // With a second script that has it, Preact is in a chunk of its own, which outlives edits.
      ...(dev ? [{ in: "@framework/cli/client/hot", out: "framework-hot" }] : []),
    ],
    splitting: true,
    format: "esm",
    // The page links the stylesheets.
    loader: { ...importLoaders, ".css": "empty" },
    plugins: [cssModules(esbuild, request.root, "js")],
    alias: {
      "@framework/cli/form": "@framework/cli/client/form",
      "@framework/cli/jsx-runtime": "@framework/cli/client/jsx-runtime",
      "@framework/cli/jsx-dev-runtime": "@framework/cli/client/jsx-runtime",
      "hono/jsx": "@framework/cli/client/jsx",
      "hono/jsx/dom": "@framework/cli/client/jsx",
      "hono/jsx/jsx-runtime": "@framework/cli/client/jsx-runtime",
      "hono/jsx/jsx-dev-runtime": "@framework/cli/client/jsx-runtime",
    },
    define: { "process.env.NODE_ENV": minify ? '"production"' : '"development"' },
    ...(dev ? { banner: { js: `${errorCollector};` } } : {}),
    // The sources of a production build stay here.
    sourcemap: dev ? "linked" : false,
  };
}

/** esbuild options for the script of marked forms. */
export function formOptions(request: BundleRequest): Record<string, unknown> {
  return {
    ...common(request),
    stdin: {
      contents: 'import { enhanceForms } from "@framework/cli/client/form-script"; enhanceForms();',
      resolveDir: request.root,
    },
    entryNames: `${assetName(formScript)}${request.dev ? "" : "-[hash]"}`,
    format: "esm",
    sourcemap: false,
  };
}

/** Returns true when the application renders marked forms. */
export function hasForms({ inputs }: Metafile): boolean {
  return Object.entries(inputs).some(([path, { imports }]) =>
    isForm(path) || imports.some(({ path }) => isForm(path))
  );
}

/** Returns true for the module of marked forms: an entry of the package, which JSR names `@jsr/framework__cli`. */
export function isForm(path: string): boolean {
  return /(?:^|[\\/_])cli[\\/]form\.[jt]s$/.test(path);
}

/** esbuild options for the stylesheets that the application's files import. */
function styleOptions(
  esbuild: Esbuild,
  request: BundleRequest,
  points: readonly { in: string; out: string }[],
): Record<string, unknown> {
  return {
    ...common(request),
    entryPoints: points,
    // Addresses such as /logo.svg are static files. A pattern cannot express that: it would match
    // every absolute path.
    external: request.staticNames.flatMap((name) => [`/${name}`, `/${name}/*`]),
    // Class names are the same in worker and scripts only if they are not shortened.
    minifyIdentifiers: false,
    plugins: [
      cssModules(esbuild, request.root, "css"),
      tailwind(request.root, !request.dev),
    ],
    sourcemap: false,
  };
}

function common({ root, tsconfig, outDir, minify, dev }: BundleRequest): Record<string, unknown> {
  return {
    absWorkingDir: root,
    tsconfig,
    outdir: assetsOutput({ root, outDir }),
    write: false,
    bundle: true,
    platform: "browser",
    target: "es2022",
    entryNames: dev ? "[name]" : "[name]-[hash]",
    chunkNames: dev ? "shared-[hash]" : "[name]-[hash]",
    loader: importLoaders,
    ...assetOptions,
    minify,
    metafile: true,
    logLevel: "silent",
    legalComments: "none",
  };
}

/** esbuild options for the addresses of imported files, the same in worker, scripts and stylesheets. */
export const assetOptions: Record<string, unknown> = {
  assetNames: "[name]-[hash]",
  publicPath: assetsFolder,
};

/** Returns the files that the worker imports by their address, at their place for browsers. */
export function importedFiles(
  { outputFiles = [] }: EsbuildResult,
  request: BundleRequest,
): OutputFile[] {
  return outputFiles
    .filter(({ path }) => !/[\\/]worker\.js(\.map)?$/.test(path))
    .map((file) => ({ ...file, path: join(assetsOutput(request), basename(file.path)), text: "" }));
}

type Metafile = EsbuildResult["metafile"];

/**
 * Reads the addresses of the scripts from esbuild's output.
 *
 * @returns The addresses by the application's names; or what a client file must not import.
 */
export function readScripts(
  { outputs, inputs }: Metafile,
  request: BundleRequest,
): { scripts: AppAssets["scripts"]; errors: Diagnostic[] } {
  const scripts: AppAssets["scripts"] = {};
  for (const [path, { entryPoint, imports }] of Object.entries(outputs)) {
    if (entryPoint === undefined) continue;
    const entry = join(request.root, entryPoint);
    const client = request.clients.find((each) => each.entry === entry);
    if (client) {
      const shared = imports.filter(({ kind }) => kind === "import-statement");
      scripts[client.file] = [path, ...shared.map((each) => each.path)].map(addressOf);
    }
  }
  return { scripts, errors: findServerFiles(inputs, request) };
}

/**
 * Finds the files that no page renders but within client components, an edit of which changes nothing else on an open
 * page, and identifies the scripts that have them.
 *
 * @param built What went into the worker, and the scripts.
 */
export function readHotFiles(
  built: { worker: Metafile; client: EsbuildResult } | null,
  request: BundleRequest,
): HotFiles {
  if (built === null) return { clientOnly: [], versions: {} };
  const { worker, client: { metafile, outputFiles = [] } } = built;
  const clients = new Set(
    request.clients.map(({ file }) => projectPath(request, join(dirname(request.appDir), file))),
  );
  const ofServer = new Set([projectPath(request, request.entry)]);
  for (const path of ofServer) {
    for (const imported of worker.inputs[path]?.imports ?? []) {
      if (!clients.has(imported.path)) ofServer.add(imported.path);
    }
  }
  const addresses = new Set(request.clients.map(({ name }) => `${assetsFolder}/${name}.js`));
  const scripts = outputFiles.map(({ path, hash = "" }) => [addressOf(path), hash] as const);
  return {
    clientOnly: Object.keys(metafile.inputs).filter((path) => !ofServer.has(path)),
    versions: Object.fromEntries(scripts.filter(([address]) => addresses.has(address))),
  };
}

/**
 * Finds client files outside of the application folder, the only one that is searched for them.
 *
 * @param worker What went into the worker.
 */
export async function findStrayClients(
  { inputs }: Metafile,
  { root, appDir }: BundleRequest,
): Promise<Diagnostic[]> {
  const own = relative(root, appDir).split(sep).join("/") + "/";
  const others = Object.keys(inputs).filter((path) =>
    /\.[jt]sx$/.test(path) && !path.startsWith(own) && !path.includes("node_modules/")
  );
  const found = await Promise.all(others.map(async (path): Promise<Diagnostic[]> => {
    const source = await readFile(join(root, path), "utf8").catch(() => "");
    if (!hasClientDirective(source)) return [];
    const message = 'The file begins with "use client" but is outside of the application folder.';
    return [{
      message,
      file: path,
      notes: [`Move it into ${own}, for example to ${own}_components.`],
    }];
  }));
  return found.flat();
}

/** Files that are the server's by their name: below a folder `_server`, or `database.server.ts`. */
const serverFile = /(?:^|\/)_server\/|\.server\.[cm]?[jt]sx?$/;

/** Finds pages, routes and other server code in browser scripts, which would send it to every visitor. */
function findServerFiles(inputs: Metafile["inputs"], request: BundleRequest): Diagnostic[] {
  const server = new Map<string, ModuleKind>(
    Object.entries(request.files).map(([file, kind]) => [projectPath(request, file), kind]),
  );
  return Object.entries(inputs).flatMap(([path, { imports }]) =>
    imports.flatMap((imported): Diagnostic[] => {
      const kind = server.get(imported.path);
      const isOwn = !imported.path.includes("node_modules/");
      if (kind === undefined && !(isOwn && serverFile.test(imported.path))) return [];
      // One server file may import another: the mistake is where the browser's part ends.
      if (serverFile.test(path)) return [];
      const reason = kind === undefined
        ? "which runs on the server by its name"
        : `which is ${withArticle(kind)} and runs on the server`;
      return [{
        message: `A file that runs in the browser imports ${imported.path}, ${reason}.`,
        file: path,
        line: 1,
        notes: [
          ...wayTo(imported.path, inputs, request),
          `Import from it with "import type", or move shared code to a separate file.`,
        ],
      }];
    })
  );
}

/** Names the files between a client file and one that it must not import. */
function wayTo(name: string, inputs: Metafile["inputs"], request: BundleRequest): string[] {
  for (const { entry } of request.clients) {
    const [, client, ...others] = chainTo(name, projectPath(request, entry), inputs) ?? [];
    if (client === undefined) continue;
    if (others.length === 0) return [];
    return [`${client.path} imports it through ${others.map(({ path }) => path).join(", ")}.`];
  }
  return [];
}

/** Bundled styles of an application. */
export interface StyleBundle {
  styles: AppAssets["styles"];
  files: NonNullable<EsbuildResult["outputFiles"]>;
  /** Files that the stylesheets consist of, relative to the project. */
  inputs: string[];
  /** Faults in the application's own ones: browsers leave such rules out without a word. */
  warnings: EsbuildMessage[];
}

/**
 * Bundles the stylesheets that pages, layouts and their components import, each separately, so that
 * browsers cache what pages share.
 *
 * @param worker What went into the worker, which tells who imports what.
 */
export async function bundleStyles(
  esbuild: Esbuild,
  request: BundleRequest,
  worker: Metafile,
): Promise<StyleBundle> {
  const { inputs } = worker;
  const scripts = Object.entries(inputs).filter(([path]) => !path.endsWith(".css"));
  const sheets = [
    ...new Set(scripts.flatMap(([, { imports }]) => imports.map(({ path }) => path))),
  ].filter((path) => path.endsWith(".css"));
  if (sheets.length === 0) return { styles: {}, files: [], inputs: [], warnings: [] };
  const points = nameSheets(sheets);
  const built = await esbuild.build(styleOptions(esbuild, request, points));
  const { metafile, outputFiles } = built;
  const addresses = new Map(
    Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
      entryPoint === undefined ? [] : [[entryPoint, addressOf(path)]]
    ),
  );
  const styles: AppAssets["styles"] = {};
  for (const file of Object.keys(request.files)) {
    const found = sheetsOf(projectPath(request, file), inputs).map((path) => addresses.get(path)!);
    if (found.length > 0) {
      styles[relative(dirname(request.appDir), file).split(sep).join("/")] = found;
    }
  }
  const warnings = await Promise.all(
    built.warnings.map(async (each) => await isInSource(each, request) ? [each] : []),
  );
  return {
    styles,
    files: outputFiles ?? [],
    inputs: Object.keys(metafile.inputs),
    warnings: warnings.flat(),
  };
}

/** Returns false for text of a package, and for text that a plugin has made, which has no place in a file. */
async function isInSource(
  { location }: EsbuildMessage,
  { root }: BundleRequest,
): Promise<boolean> {
  if (location === null || location.file.includes("node_modules/")) return false;
  const source = await readFile(join(root, location.file), "utf8").catch(() => "");
  return source.split(/\r?\n/)[location.line - 1] === location.lineText;
}

function nameSheets(sheets: readonly string[]): { in: string; out: string }[] {
  const taken = new Set<string>();
  return sheets.map((path) => {
    let out = assetName(path);
    while (taken.has(out)) out += "-";
    taken.add(out);
    return { in: path, out };
  });
}

/** Returns the stylesheets in evaluation order, as the rules would be ordered in one file. */
function sheetsOf(start: string, inputs: Metafile["inputs"]): string[] {
  const seen = new Set<string>();
  const found: string[] = [];
  function visit(path: string): void {
    if (seen.has(path)) return;
    seen.add(path);
    if (path.endsWith(".css")) return void found.push(path);
    for (const imported of inputs[path]?.imports ?? []) visit(imported.path);
  }
  visit(start);
  return found;
}

/** Returns a file's path as esbuild names it. */
function projectPath({ root }: BundleRequest, file: string): string {
  return relative(root, file).split(sep).join("/");
}

/** Returns the address of the script of marked forms. */
export function readFormScript({ outputs }: Metafile): AppAssets["scripts"] {
  return { [formScript]: Object.keys(outputs).map(addressOf) };
}

function addressOf(output: string): string {
  return `${assetsFolder}/${basename(output)}`;
}

/**
 * Returns source to append to the worker: the entry has no other way to know files that are named
 * after their content.
 */
export function assetsSource(variable: string, assets: AppAssets): string {
  return `\nvar ${variable} = ${JSON.stringify(assets)};\n`;
}

type Inputs = EsbuildResult["metafile"]["inputs"];

/**
 * Explains why scripts for browsers cannot be bundled when a client file imports a server-only
 * module: the bundler's message names a file inside a package.
 *
 * @param request What was to be bundled.
 * @param messages What the bundler said.
 * @returns Null when it is about something else.
 */
export async function findServerImports(
  esbuild: Esbuild,
  request: BundleRequest,
  messages: readonly EsbuildMessage[],
): Promise<Diagnostic[] | null> {
  const missing = messages.map(({ text }) => /^Could not resolve "([^"]+)"$/.exec(text)?.[1] ?? "");
  const names = [...new Set(missing)];
  if (request.clients.length === 0 || !names.every(isOfServer)) return null;
  // Bundle again without the missing modules: then esbuild reports who imports what.
  const options = { ...clientOptions(esbuild, request), external: names };
  const inputs = await esbuild.build(options).then(
    ({ metafile }) => metafile.inputs,
    (): Inputs => ({}),
  );
  const found = await Promise.all(request.clients.flatMap(({ entry }) => {
    const start = relative(request.root, entry).split(sep).join("/");
    return names.map((name) => explain(chainTo(name, start, inputs), name, request.root));
  }));
  const problems = found.filter((each) => each !== null);
  return problems.length === 0 ? null : problems;
}

function isOfServer(name: string): boolean {
  return isBuiltin(name) || name.startsWith("cloudflare:");
}

/** A file, and its name as written in the file that imports it. */
interface Link {
  path: string;
  written: string;
}

/** Returns the shortest import path from a file to a module, without the module. */
function chainTo(name: string, start: string, inputs: Inputs): Link[] | null {
  const ways: Link[][] = [[{ path: start, written: start }]];
  const seen = new Set([start]);
  for (const way of ways) {
    for (const { path, original = path } of inputs[way.at(-1)!.path]?.imports ?? []) {
      if (path === name) return way;
      if (seen.has(path)) continue;
      seen.add(path);
      ways.push([...way, { path, written: original }]);
    }
  }
  return null;
}

/** Explains the chain: its first file is the generated one, its second the client file. */
async function explain(
  way: Link[] | null,
  name: string,
  root: string,
): Promise<Diagnostic | null> {
  const [, client, ...others] = way ?? [];
  if (client === undefined) return null;
  const written = others[0]?.written ?? name;
  const needs = others.length === 0 ? "which" : `which needs ${name}, and that`;
  const isAuth = written === "@framework/auth";
  return {
    message:
      `${client.path} runs in the browser ("use client") and imports ${written}, ${needs} is available on the server only.`,
    file: client.path,
    ...await placeOf(written, join(root, client.path)),
    notes: [
      ...(others.length > 1
        ? [`It is imported through ${others.map(({ path }) => path).join(", ")}.`]
        : []),
      isAuth
        ? "In the browser, use @framework/auth/client; pass what the server knows about the user as props."
        : "Use it in a page, layout or route, and pass the component what it needs as props.",
    ],
  };
}

async function placeOf(
  written: string,
  file: string,
): Promise<Pick<Diagnostic, "line" | "column" | "length" | "lineText">> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const quoted = [`"${written}"`, `'${written}'`];
  const index = lines.findIndex((line) => quoted.some((text) => line.includes(text)));
  const lineText = lines[index];
  if (lineText === undefined) return { line: 1 };
  const column = Math.max(...quoted.map((text) => lineText.indexOf(text))) + 1;
  return { line: index + 1, column, length: written.length + 2, lineText };
}
