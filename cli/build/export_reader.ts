import { basename, posix, relative, resolve, sep } from "node:path";
import { hasClientDirective } from "../client/assets.ts";
import type { ModuleKind } from "../runtime/manifest.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import type { Esbuild, EsbuildResult } from "../tools/bundler_and_emulator.ts";
import type { BundleRequest } from "./protocol.ts";
import { fileState } from "./worker_bundle.ts";

/** Exports of the application's files. */
export interface Exports {
  /**
   * Exported names by absolute path; null for a file that re-exports another one, whose names are
   * unknown without running it.
   */
  names: Record<string, string[] | null>;
  /** Files with `"use client"` that cannot run in the browser. */
  errors: Diagnostic[];
}

/** Returns a kind of file with its article, for sentences. */
export function withArticle(kind: ModuleKind): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** Reads files' exports; a file is read again only after it has changed. */
export interface ExportReader {
  /** Reads which names the application's files export, without running them. */
  read(esbuild: Esbuild, request: Pick<BundleRequest, "root" | "files">): Promise<Exports>;
}

interface Known {
  state: string;
  names: string[] | null;
  isClient: boolean;
}

/** Creates the reader. */
export function createExportReader(): ExportReader {
  const known = new Map<string, Known>();
  return {
    async read(esbuild, { root, files }) {
      const paths = Object.keys(files);
      const states = new Map(paths.map((path) => [path, fileState(path)]));
      const stale = paths.filter((path) => {
        const state = states.get(path);
        return state === undefined || known.get(path)?.state !== state;
      });
      for (const path of known.keys()) if (!states.has(path)) known.delete(path);
      for (const [path, found] of await compile(esbuild, root, stale)) {
        known.set(path, { ...found, state: states.get(path)! });
      }
      const exports: Exports = { names: {}, errors: [] };
      for (const path of paths) {
        const { names, isClient } = known.get(path)!;
        exports.names[path] = names;
        if (!isClient) continue;
        exports.errors.push({
          message: `It cannot begin with "use client", because it is ${
            withArticle(files[path]!)
          }, which the server renders.`,
          file: relative(root, path),
          line: 1,
          notes: ["Move the interactive part to a separate component and use that here."],
        });
      }
      return exports;
    },
  };
}

async function compile(
  esbuild: Esbuild,
  root: string,
  paths: readonly string[],
): Promise<[string, Omit<Known, "state">][]> {
  if (paths.length === 0) return [];
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: root,
    // Numbered outputs, because two file names may differ only in characters that are lost in the
    // output path.
    entryPoints: paths.map((path, index) => ({ in: path, out: String(index) })),
    outdir: "/exports",
    write: false,
    bundle: false,
    format: "esm",
    jsx: "automatic",
    metafile: true,
    logLevel: "silent",
  });
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [posix.basename(path), output]),
  );
  const texts = new Map(outputFiles?.map(({ path, text }) => [basename(path), text]));
  return paths.map((path, index) => {
    const output = outputs.get(`${index}.js`);
    const code = texts.get(`${index}.js`) ?? "";
    const hidden = !output || /^export \* from/m.test(code);
    return [path, {
      names: hidden ? null : output.exports,
      isClient: hasClientDirective(code),
    }];
  });
}

/**
 * Returns a fingerprint of the files that define an application's durable objects. While it is
 * unchanged, so are they.
 *
 * @param metafile What went into the worker, with the files of packages.
 * @param request Names the objects' files.
 */
export function stateOfObjects(
  { inputs }: EsbuildResult["metafile"],
  { root, objects }: Pick<BundleRequest, "root" | "objects">,
): string {
  const seen = new Set<string>();
  function visit(path: string): void {
    if (seen.has(path)) return;
    seen.add(path);
    for (const imported of inputs[path]?.imports ?? []) visit(imported.path);
  }
  for (const file of objects) visit(relative(root, file).split(sep).join("/"));
  return [...seen].map((path) => `${path} ${fileState(resolve(root, path))}`).join("\n");
}
