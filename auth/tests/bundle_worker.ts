import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import { workspaceAlias } from "../../scripts/budgets.ts";

/** Bundles a module to a script of workerd, as an application's is. */
export async function bundleWorker(
  entry: URL,
  { minify = false }: { minify?: boolean } = {},
): Promise<string> {
  const result = await esbuild.build({
    entryPoints: [fileURLToPath(entry)],
    alias: await workspaceAlias(),
    bundle: true,
    minify,
    write: false,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
  });
  await esbuild.stop();
  return result.outputFiles[0]!.text;
}
