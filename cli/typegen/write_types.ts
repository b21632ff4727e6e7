import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import process from "node:process";
import type { ProjectConfig } from "../project/config.ts";
import { readPlatform } from "../project/platform.ts";
import { scanApp } from "../project/scan.ts";
import { findPackage } from "../project/tools.ts";
import { readModuleNames } from "../source/module_exports.ts";
import { bindingsText, PLATFORM_FILE, type TypeSource } from "./bindings_text.ts";
import { PLATFORM_TEXT } from "./platform_text.ts";

/**
 * Writes the types of the bindings into `.framework/types`, and declarations of the platform where the project has none.
 * A file that says the same already is left alone, so that nothing that watches it wakes up.
 *
 * @param config The project.
 * @returns Absolute paths of what was written.
 * @throws {CliError} Exit code 2 for a wrong platform file or a route conflict.
 */
export async function writeTypes(config: ProjectConfig): Promise<string[]> {
  const { root, appDir } = config;
  const folder = join(root, ".framework", "types");
  // A folder that is no application yet has types to check too.
  if (!existsSync(config.platformFile)) return [];
  const scan = existsSync(appDir) ? await scanApp(appDir) : undefined;
  const platform = platformTypes(root);
  const files: Record<string, string> = {
    "bindings.ts": bindingsText(await readPlatform(config), {
      platform,
      objects: classFiles(scan?.objects ?? [], folder),
      queues: handlerFiles(scan?.queues ?? {}, folder),
      secrets: secretNames(root),
    }),
  };
  if (platform === null) files[PLATFORM_FILE] = PLATFORM_TEXT;
  // It would say otherwise than the types that have come since.
  else await rm(join(folder, PLATFORM_FILE), { force: true });
  const written: string[] = [];
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (await readFile(path, "utf8").catch(() => null) === text) continue;
    // Whoever reads it meanwhile gets the old file or the new one, never a part.
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, text);
    await rename(draft, path);
    written.push(path);
  }
  return written;
}

/** What `wrangler types` wrote is made for the project's own compatibility date. */
function platformTypes(root: string): TypeSource["platform"] {
  if (existsSync(join(root, "worker-configuration.d.ts"))) return "wrangler";
  const name = "@cloudflare/workers-types";
  return findPackage(name, root) === undefined ? null : name;
}

/** Which file exports each name of `app/objects`, as a file in `folder` imports it. */
function classFiles(objects: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(objects.flatMap((file) => {
    return exportsOf(file).map((name) => [name, importPath(folder, file)]);
  }));
}

/** The files of `app/queues` that have a handler, as a file in `folder` imports them. */
function handlerFiles(
  queues: Readonly<Record<string, string>>,
  folder: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(queues)
      .filter(([, file]) => exportsOf(file).includes("queue"))
      .map(([name, file]) => [name, importPath(folder, file)]),
  );
}

function exportsOf(file: string): string[] {
  const exported = readModuleNames(readFileSync(file, "utf8"), file)?.exports ?? [];
  return exported.map(({ name }) => name);
}

function importPath(folder: string, file: string): string {
  return relative(folder, file).split(sep).join("/");
}

/** The names in `.dev.vars`, or in its example, which is what a fresh clone has. */
function secretNames(root: string): string[] {
  const file = [".dev.vars", ".dev.vars.example"].map((name) => join(root, name)).find(existsSync);
  if (file === undefined) return [];
  return [...readFileSync(file, "utf8").matchAll(/^(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)]
    .map(([, name]) => name!);
}
