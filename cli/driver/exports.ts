import { relative } from "node:path";
import { hasClientDirective } from "../client/directive.ts";
import type { ModuleKind } from "../runtime/manifest.ts";
import type { BundleRequest, Diagnostic } from "./protocol.ts";
import type { Esbuild } from "./tools.ts";

/** What the application's files export. */
export interface Exports {
  /** By absolute path; null for a file that passes on another one's exports, which only running it would tell. */
  names: Record<string, string[] | null>;
  /** Files that claim to run in the browser, and cannot. */
  errors: Diagnostic[];
}

/** As sentences name a kind of file. */
export function withArticle(kind: ModuleKind): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** Reads which names the application's files export, without running them. */
export async function readExports(
  esbuild: Esbuild,
  { root, files }: Pick<BundleRequest, "root" | "files">,
): Promise<Exports> {
  const paths = Object.keys(files);
  const exports: Exports = { names: {}, errors: [] };
  if (paths.length === 0) return exports;
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: root,
    // Numbered outputs: two files may differ only in characters that a path loses on its way.
    entryPoints: paths.map((path, index) => ({ in: path, out: String(index) })),
    outdir: "/exports",
    write: false,
    bundle: false,
    format: "esm",
    jsx: "automatic",
    metafile: true,
    logLevel: "silent",
  });
  const outputs = Object.entries(metafile.outputs);
  for (const [index, path] of paths.entries()) {
    const name = `/${index}.js`;
    const output = outputs.find(([key]) => `/${key}`.endsWith(name))?.[1];
    const code = outputFiles?.find((file) => file.path.replaceAll("\\", "/").endsWith(name))?.text;
    const hidden = !output || /^export \* from/m.test(code ?? "");
    exports.names[path] = hidden ? null : output.exports;
    if (!hasClientDirective(code ?? "")) continue;
    exports.errors.push({
      message: `It cannot begin with "use client": it is ${
        withArticle(files[path]!)
      }, which the server renders.`,
      file: relative(root, path),
      line: 1,
      notes: ["Put what is interactive into a component of its own, and use that here."],
    });
  }
  return exports;
}
