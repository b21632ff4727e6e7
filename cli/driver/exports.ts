import type { BundleRequest } from "./protocol.ts";
import type { Esbuild } from "./tools.ts";

/**
 * Reads which names the application's files export, without running them.
 *
 * @returns By absolute path; null for a file that passes on another one's exports, which only running it would tell.
 */
export async function readExports(
  esbuild: Esbuild,
  { root, files }: Pick<BundleRequest, "root" | "files">,
): Promise<Record<string, string[] | null>> {
  const paths = Object.keys(files);
  if (paths.length === 0) return {};
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
  return Object.fromEntries(paths.map((path, index) => {
    const name = `/${index}.js`;
    const output = outputs.find(([key]) => `/${key}`.endsWith(name))?.[1];
    const code = outputFiles?.find((file) => file.path.replaceAll("\\", "/").endsWith(name))?.text;
    const hidden = !output || /^export \* from/m.test(code ?? "");
    return [path, hidden ? null : output.exports];
  }));
}
