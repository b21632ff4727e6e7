import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { type AppAssets, assetName, assetsFolder } from "../client/assets.ts";
import { hasClientDirective } from "../client/directive.ts";
import type { ModuleKind } from "../runtime/manifest.ts";
import { styleOptions } from "./browser_options.ts";
import { withArticle } from "./exports.ts";
import type { BundleRequest } from "./protocol.ts";
import type { Diagnostic } from "./frame.ts";
import type { Esbuild, EsbuildResult } from "./tools.ts";

type Metafile = EsbuildResult["metafile"];

/**
 * Reads the addresses of the scripts from what esbuild made of them.
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
 * Finds files outside of the application's folder that claim to run in the browser: only that folder is searched for them.
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
    const message = 'It begins with "use client" and stands outside of the application\'s folder.';
    return [{
      message,
      file: path,
      notes: [`Move it into ${own}, for example to ${own}_components.`],
    }];
  }));
  return found.flat();
}

/** A page or route in a script would send the server's code to every visitor. */
function findServerFiles(inputs: Metafile["inputs"], request: BundleRequest): Diagnostic[] {
  const server = new Map(
    Object.entries(request.files).map(([file, kind]) => [projectPath(request, file), kind]),
  );
  return Object.entries(inputs).flatMap(([path, { imports }]) =>
    imports.flatMap((imported): Diagnostic[] => {
      const kind: ModuleKind | undefined = server.get(imported.path);
      if (kind === undefined) return [];
      return [{
        message: `A file that runs in the browser imports ${imported.path}, which is ${
          withArticle(kind)
        } and runs on the server.`,
        file: path,
        line: 1,
        notes: [`Import from it with "import type", or move what both need to a file of its own.`],
      }];
    })
  );
}

/** What the styles of an application come to. */
export interface StyleBundle {
  styles: AppAssets["styles"];
  files: NonNullable<EsbuildResult["outputFiles"]>;
  errors: Diagnostic[];
  /** Relative to the project: every file that the stylesheets are made of. */
  inputs: string[];
}

/**
 * Bundles the stylesheets that pages, layouts and their components import: each one by itself, so that browsers keep what
 * two pages share.
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
  const nothing: StyleBundle = { styles: {}, files: [], errors: [], inputs: [] };
  const modules = sheets.filter((path) => path.endsWith(".module.css"));
  if (modules.length > 0) {
    const errors = modules.map((file) => ({
      message: "CSS modules are not supported; write a stylesheet and class names.",
      file,
      line: 1,
      notes: [],
    }));
    return { ...nothing, errors };
  }
  if (sheets.length === 0) return nothing;
  const points = nameSheets(sheets);
  const { metafile, outputFiles } = await esbuild.build(styleOptions(request, points));
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
  return { styles, files: outputFiles ?? [], errors: [], inputs: Object.keys(metafile.inputs) };
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

/** In the order in which the modules are evaluated, as the rules would come in one file. */
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

/** As esbuild names a file of the project. */
function projectPath({ root }: BundleRequest, file: string): string {
  return relative(root, file).split(sep).join("/");
}

function addressOf(output: string): string {
  return `${assetsFolder}/${basename(output)}`;
}

/** What stands at the end of the worker: the entry has no other way to know what is named after its content. */
export function assetsSource(variable: string, assets: AppAssets): string {
  return `\nvar ${variable} = ${JSON.stringify(assets)};\n`;
}
