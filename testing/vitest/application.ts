import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Platform, ProjectConfig } from "@framework/cli/project";
import { POOL_BINDING, type PoolSettings } from "../context/pool.ts";
import {
  exampleSecrets,
  explainProjectError,
  migrationsFolder,
  readWorkerFiles,
} from "../context/project.ts";

/** Part of the pool's options that is read. */
interface PoolOptions {
  main?: string;
  wrangler?: { configPath?: string; environment?: string };
  miniflare?: { bindings?: Record<string, unknown> };
}

/**
 * Completes the pool's options, so that `createTestContext` can be called there: with the built worker of an application,
 * or with a description of any other worker. An application whose options have their own `main` is left unchanged.
 *
 * @param workers The pool's options.
 * @param root The project's folder.
 */
export async function withApplication(workers: unknown, root: string): Promise<unknown> {
  const options = workers as PoolOptions;
  // Not loaded for a configuration without the pool.
  const { loadConfig } = await import("@framework/cli/project");
  try {
    const config = await loadConfig(root);
    if (!existsSync(config.appDir)) return await withWorker(options, config);
    if (options.main !== undefined || !existsSync(config.platformFile)) return options;
    return await withBuiltWorker(options, config);
  } catch (error) {
    return explainProjectError(error);
  }
}

async function withBuiltWorker(options: PoolOptions, config: ProjectConfig): Promise<PoolOptions> {
  const { readPlatform, readPlatformFile, scanApp } = await import("@framework/cli/project");
  const { buildTestWorker } = await import("@framework/cli/testing");
  const platform = await readPlatform(config);
  // With this file's own extension: .ts in the sources, .js on npm.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  const wrapper = fileURLToPath(new URL(`../pool${ending}`, import.meta.url));
  const scan = await scanApp(config.appDir);
  const { folder } = await buildTestWorker({ config, platform, scan, wrapper, env: process.env });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const main = join(folder, "worker.js");
  const settings = await describe({ config, platform }, { main, isApplication: true });
  const environment = options.wrangler?.environment;
  const { vars } = environment === undefined
    ? platform
    : readPlatformFile(config.platformFile, { environment });
  const example = exampleOf({ file: config.platformFile, vars }, environment);
  return { ...withSettings(options, settings, example), main };
}

/** Describes a worker by the platform file that the options name; those that name none have their own bindings. */
async function withWorker(options: PoolOptions, given: ProjectConfig): Promise<PoolOptions> {
  const named = options.wrangler?.configPath;
  // Another format than ours is the pool's own affair.
  const isKnown = named !== undefined && /\.jsonc?$/.test(named);
  const environment = isKnown ? options.wrangler?.environment : undefined;
  const project = readWorkerFiles(given, isKnown ? resolve(given.root, named) : "", environment);
  const { config, platform } = project;
  const declared = platform.raw["main"];
  const main = options.main !== undefined
    ? resolve(config.root, options.main)
    : typeof declared === "string"
    ? resolve(dirname(platform.file), declared)
    : undefined;
  const settings = await describe(project, { main, isApplication: false });
  return withSettings(options, settings, isKnown ? exampleOf(platform, environment) : {});
}

/** Returns the variables of the example that none of the files names from which the pool takes its own. */
function exampleOf(
  platform: Pick<Platform, "file" | "vars">,
  environment: string | undefined,
): Record<string, string> {
  const files = [".dev.vars", ".env", ".env.local"];
  if (environment !== undefined) {
    files.push(`.dev.vars.${environment}`, `.env.${environment}`, `.env.${environment}.local`);
  }
  return exampleSecrets(dirname(platform.file), platform, files);
}

async function describe(
  { config, platform }: { config: ProjectConfig; platform: Platform },
  { main, isApplication }: { main: string | undefined; isApplication: boolean },
): Promise<PoolSettings> {
  const { readMigrations, splitStatements } = await import("@framework/cli/project");
  const migrations: PoolSettings["migrations"] = {};
  for (const database of platform.d1Databases) {
    const source = migrationsFolder(config, platform, database);
    const files = source === undefined ? [] : await readMigrations(source);
    migrations[database.binding] = files
      .flatMap(({ sql }) => splitStatements(sql).map(({ text }) => text));
  }
  const { root, database } = config;
  return { root, ...main !== undefined && { main }, isApplication, database, migrations, platform };
}

function withSettings(
  options: PoolOptions,
  settings: PoolSettings,
  example: Record<string, string>,
): PoolOptions {
  const { miniflare } = options;
  // A binding is JSON, which has no undefined.
  const binding = JSON.parse(JSON.stringify(settings));
  const bindings = { ...example, ...miniflare?.bindings, [POOL_BINDING]: binding };
  return { ...options, miniflare: { ...miniflare, bindings } };
}
