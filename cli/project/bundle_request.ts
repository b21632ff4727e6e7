import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BundleRequest } from "../driver/protocol.ts";
import { missingExport, type ModuleKind } from "../runtime/manifest.ts";
import { checkBackground } from "./background_check.ts";
import type { ProjectConfig } from "./config.ts";
import { appPath, generateEntry } from "./entry.ts";
import type { Platform } from "./platform.ts";
import type { AppScan } from "./scan.ts";

/** Where the generated files of a project lie; git-ignored. */
export function generatedDir(root: string): string {
  return join(root, ".framework");
}

/**
 * Writes the worker's entry, unless it stands there already, and describes the bundle to the driver.
 *
 * @throws {CliError} Exit code 2 when the platform's file lacks what a queue, durable object or cron job needs.
 */
export async function prepareBundle(
  { config, platform }: { config: ProjectConfig; platform: Platform },
  scan: AppScan,
  options: { dev: boolean } & Pick<BundleRequest, "outDir" | "minify" | "sourcemap" | "analyze">,
): Promise<BundleRequest> {
  const { dev, ...output } = options;
  const entry = join(generatedDir(config.root), "entry.ts");
  const objects = checkBackground(scan, platform);
  const source = generateEntry(scan, { database: config.database, dev, objects, file: entry });
  await mkdir(dirname(entry), { recursive: true });
  if (await readFile(entry, "utf8").catch(() => "") !== source) await writeFile(entry, source);
  return { root: config.root, entry, files: moduleKinds(scan), ...output };
}

function moduleKinds(scan: AppScan): Record<string, ModuleKind> {
  const kinds: Record<string, ModuleKind> = {};
  for (const route of scan.routes) {
    kinds[route.file] = route.kind;
    for (const file of route.layouts) kinds[file] = "layout";
    for (const file of route.middleware) kinds[file] = "middleware";
    if (route.loading !== null) kinds[route.loading] = "loading";
  }
  for (
    const { file, layouts } of [scan.routes.map((route) => route.errorPages), scan.errorPages].flat(
      2,
    )
  ) {
    kinds[file] = "error page";
    for (const layout of layouts) kinds[layout] = "layout";
  }
  for (const file of Object.values(scan.queues)) kinds[file] = "queue";
  for (const file of scan.cron) kinds[file] = "cron";
  return kinds;
}

/**
 * Says which files lack the export that their name promises.
 *
 * @param scan The files.
 * @param exports Names that each exports, from the driver.
 */
export function findMissingExports(
  scan: AppScan,
  exports: Record<string, string[] | null>,
): string[] {
  return Object.entries(moduleKinds(scan)).flatMap(([file, kind]) => {
    const names = exports[file];
    const missing = names ? missingExport(kind, names) : null;
    return missing ? [`${appPath(scan.appDir, file)} ${missing}.`] : [];
  });
}
