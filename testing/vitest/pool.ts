import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TestingError } from "../errors.ts";
import { findPackage } from "./package.ts";
import { withApplication } from "./application.ts";

/** Packages of the worker pool, which runs tests in workerd: for vitest 4 and newer, and for vitest 3. */
const NEWER = "@cloudflare/vitest-plugin";
const OLDER = "@cloudflare/vitest-pool-workers";

/** Pool settings of a vitest configuration, in the form of the installed vitest. */
export interface WorkerPool {
  /** For `plugins`, which takes promises. */
  plugin: Promise<unknown>;
  /** Further settings of `test`. */
  test: Record<string, unknown>;
}

/**
 * Converts `poolOptions.workers`, the form of vitest 3, for the pool that the project has installed.
 *
 * @param workers Its value, as in `{ wrangler: { configPath: "./wrangler.jsonc" } }`, or a function that returns it.
 * @param root The project's folder.
 * @throws {TestingError} `WORKER_POOL` when none is installed.
 */
export function workerPool(workers: unknown, root: string): WorkerPool {
  const options = async (provided?: unknown) =>
    withFlags(await withApplication(isFunction(workers) ? await workers(provided) : workers, root));
  const newer = findPackage(NEWER, root);
  if (newer !== null) {
    const plugin = load(newer, ".").then(async (module) =>
      (module["cloudflareTest"] as (options: unknown) => unknown)(
        // A function is given what global setup files provide, which are run after this file.
        isFunction(workers) ? options : await options(),
      )
    );
    return { plugin, test: {} };
  }
  const older = findPackage(OLDER, root);
  if (older !== null) {
    const plugin = load(older, "./config").then((module) => {
      const define = module["defineWorkersConfig"] as (config: object) => { plugins: unknown[] };
      return define({}).plugins;
    });
    return { plugin, test: { pool: OLDER, poolOptions: { workers: options } } };
  }
  throw new TestingError(
    "WORKER_POOL",
    `The vitest configuration has poolOptions.workers, and no worker pool is installed in ${root}. ` +
      `Install ${NEWER} for vitest 4 and newer, or ${OLDER} 0.12 for vitest 3.`,
  );
}

function isFunction(value: unknown): value is (provided: unknown) => unknown {
  return typeof value === "function";
}

/**
 * Adds compatibility flags for what vitest and this package import: a worker may have an old date, or no modules of Node,
 * and the workerd of older pools predates the date that enables some.
 */
function withFlags(workers: unknown): unknown {
  const options = workers as { miniflare?: { compatibilityFlags?: string[] } };
  const { compatibilityFlags = [] } = options.miniflare ?? {};
  const needed = [
    "nodejs_compat",
    "enable_nodejs_child_process_module",
    "enable_nodejs_fs_module",
    "enable_nodejs_inspector_module",
    "enable_nodejs_os_module",
  ];
  return {
    ...options,
    miniflare: {
      ...options.miniflare,
      compatibilityFlags: [...new Set([...compatibilityFlags, ...needed])],
    },
  };
}

/**
 * Loads the pool by its path, because the package belongs to the project and may not be resolvable
 * from here.
 */
async function load(folder: string, entry: string): Promise<Record<string, unknown>> {
  const { exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  return await import(/* @vite-ignore */ pathToFileURL(join(folder, exports[entry].import)).href);
}
