import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppScan } from "../app/scan.ts";
import type { AppAssets } from "../client/assets.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { workerOptions } from "../platform/worker_options.ts";
import { assetsDirectory, workerRequest } from "../platform/worker_request.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";
import { findWrongExports, prepareBundle } from "./bundle_request.ts";
import { startDriver } from "./driver.ts";

/** Options for {@linkcode buildTestWorker}. */
export interface TestWorkerOptions {
  /** Configuration of the project, from `loadConfig()`. */
  config: ProjectConfig;
  /** Bindings of the worker, from `readPlatform()`. */
  platform: Platform;
  /** Files of the application, from `scanApp()`. */
  scan: AppScan;
  /** Absolute path of a module whose `wrapApplication(createApplication)` is called in the worker's entry. */
  wrapper: string;
  /**
   * Environment variables of the bundling process, such as `process.env`; bindings are not read
   * from them.
   */
  env: Record<string, string | undefined>;
}

/** A worker for tests, bundled and ready for an emulator. */
export interface TestWorker {
  /** Options for miniflare: the bindings of the platform file, without persistence. */
  options: { workers: Record<string, unknown>[]; [option: string]: unknown };
  /** Temporary folder with the static files, which the caller removes. */
  folder: string;
  /** Addresses of its scripts and stylesheets, which are in `assets` of that folder. */
  assets: AppAssets;
}

/**
 * Bundles the application as `framework build` does, for an emulator that the caller runs.
 *
 * @param options The project, and the module that the worker's entry is wrapped by.
 * @throws {CliError} Exit code 3 for what the bundler found, 2 when a tool is missing.
 *
 * @example
 * ```ts
 * import { loadConfig, readPlatform, scanApp } from "@framework/cli/project";
 * import { buildTestWorker, type TestWorker } from "@framework/cli/testing";
 * import { rejects } from "node:assert/strict";
 * import process from "node:process";
 *
 * async function buildProject(root: string, wrapper: string): Promise<TestWorker> {
 *   const config = await loadConfig(root);
 *   return await buildTestWorker({
 *     config,
 *     platform: await readPlatform(config),
 *     scan: await scanApp(config.appDir),
 *     wrapper,
 *     env: process.env,
 *   });
 * }
 * await rejects(buildProject("/no/such/project", "/no/such/wrapper.ts"), { name: "CliError" });
 * ```
 */
export async function buildTestWorker(options: TestWorkerOptions): Promise<TestWorker> {
  const { config, platform, scan, wrapper, env } = options;
  requirePackage("esbuild", config.root);
  requirePackage("miniflare", config.root);
  const folder = await mkdtemp(join(tmpdir(), "framework-test-"));
  const driver = startDriver({ root: config.root, env, log: () => {} });
  let assets: AppAssets = { scripts: {}, styles: {} };
  try {
    const request = await prepareBundle({ config, platform }, scan, {
      dev: false,
      outDir: folder,
      minify: false,
      sourcemap: false,
      wrapper,
    });
    const built = await driver.call("bundle", request);
    const plain = createColors(false);
    const problems = built.ok
      ? findWrongExports(scan, built.exports)
      : built.errors.map((error) => formatDiagnostic(error, plain));
    if (problems.length > 0) {
      throw new CliError(`The worker could not be built.\n${problems.join("\n\n")}`, {
        exitCode: ExitCode.build,
      });
    }
    if (built.ok) assets = built.browser.assets;
  } finally {
    await driver.close();
  }
  const statics = assetsDirectory(config, platform);
  const directory = join(folder, "assets");
  if (existsSync(statics)) await cp(statics, directory, { recursive: true, dereference: true });
  const described = workerRequest({ config, platform }, 0);
  const { defaultPersistRoot: _, ...rest } = workerOptions(
    {
      ...described,
      assets: existsSync(directory)
        ? {
          binding: undefined,
          htmlHandling: undefined,
          notFoundHandling: undefined,
          runWorkerFirst: false,
          ...described.assets,
          directory,
        }
        : null,
    },
    { name: "worker.js", code: await readFile(join(folder, "worker.js"), "utf8") },
  );
  return { options: rest as TestWorker["options"], folder, assets };
}
