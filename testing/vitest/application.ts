import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { POOL_BINDING, type PoolSettings } from "../context/pool.ts";
import { explainProjectError, migrationsFolder } from "../context/project.ts";

/** Part of the pool's options that is read. */
interface PoolOptions {
  main?: string;
  miniflare?: { bindings?: Record<string, unknown> };
}

/**
 * Builds the application of a project for the worker pool, so that `createTestContext` can be
 * called there. Options with their own `main`, and projects without an application, are left
 * unchanged.
 *
 * @param workers The pool's options.
 * @param root The project's folder.
 */
export async function withApplication(workers: unknown, root: string): Promise<unknown> {
  const options = workers as PoolOptions;
  if (options.main !== undefined) return options;
  // Not loaded for a configuration without the pool.
  const { loadConfig, readMigrations, readPlatform, scanApp, splitStatements } = await import(
    "@framework/cli/project"
  );
  const { buildTestWorker } = await import("@framework/cli/testing");
  try {
    const config = await loadConfig(root);
    if (!existsSync(config.appDir) || !existsSync(config.platformFile)) return options;
    const platform = await readPlatform(config);
    // With this file's own extension: .ts in the sources, .js on npm.
    const ending = import.meta.url.slice(import.meta.url.lastIndexOf("."));
    const wrapper = fileURLToPath(new URL(`../pool${ending}`, import.meta.url));
    const scan = await scanApp(config.appDir);
    const { folder } = await buildTestWorker({
      config,
      platform,
      scan,
      wrapper,
      env: process.env,
    });
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const migrations: PoolSettings["migrations"] = {};
    for (const database of platform.d1Databases) {
      const source = migrationsFolder(config, platform, database);
      const files = source === undefined ? [] : await readMigrations(source);
      migrations[database.binding] = files
        .flatMap(({ sql }) => splitStatements(sql).map(({ text }) => text));
    }
    const main = join(folder, "worker.js");
    const settings: PoolSettings = { main, database: config.database, migrations };
    const { miniflare } = options;
    return {
      ...options,
      main,
      miniflare: {
        ...miniflare,
        bindings: { ...miniflare?.bindings, [POOL_BINDING]: settings },
      },
    };
  } catch (error) {
    return explainProjectError(error);
  }
}
