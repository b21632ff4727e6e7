import { relative, resolve, sep } from "node:path";
import type { BundleRequest } from "./protocol.ts";
import type { EsbuildResult } from "./tools.ts";
import { fileState } from "./worker_bundle.ts";

/**
 * Tells by which files an application's durable objects are what they are. While it stays the same, they do.
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
