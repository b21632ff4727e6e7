import { cp, mkdtemp, readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDriver } from "../driver/client.ts";
import { formatDiagnostic } from "../driver/frame.ts";
import { workerOptions } from "../driver/worker_options.ts";
import { assetsDirectory, workerRequest } from "../driver/worker_request.ts";
import { createColors } from "../terminal/colors.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { findMissingExports, prepareBundle } from "./bundle_request.ts";
import type { ProjectConfig } from "./config.ts";
import type { Platform } from "./platform.ts";
import type { AppScan } from "./scan.ts";
import { requirePackage } from "./tools.ts";

/** What {@linkcode buildTestWorker} needs. */
export interface TestWorkerOptions {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  /** Absolute path of a module whose `wrapApplication(createApplication)` is called in the worker's entry. */
  wrapper: string;
  env: Record<string, string | undefined>;
}

/** A worker for tests. */
export interface TestWorker {
  /** What miniflare takes: the bindings of the platform's file, and nothing that outlives the process. */
  options: { workers: Record<string, unknown>[]; [option: string]: unknown };
  /** A temporary folder with the static files; whoever asked for the worker removes it. */
  folder: string;
}

/**
 * Bundles the application as `framework build` does, for an emulator that the caller runs.
 *
 * @throws {CliError} Exit code 3 for what the bundler found, 2 when a tool is missing.
 */
export async function buildTestWorker(options: TestWorkerOptions): Promise<TestWorker> {
  const { config, platform, scan, wrapper, env } = options;
  requirePackage("esbuild", config.root);
  requirePackage("miniflare", config.root);
  const folder = await mkdtemp(join(tmpdir(), "framework-test-"));
  const driver = startDriver({ root: config.root, env, log: () => {} });
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
      ? findMissingExports(scan, built.exports)
      : built.errors.map((error) => formatDiagnostic(error, plain));
    if (problems.length > 0) {
      throw new CliError(`The worker cannot be built.\n${problems.join("\n\n")}`, {
        exitCode: ExitCode.build,
      });
    }
  } finally {
    await driver.close();
  }
  const statics = assetsDirectory(config, platform);
  const assets = join(folder, "assets");
  if (existsSync(statics)) await cp(statics, assets, { recursive: true, dereference: true });
  const described = workerRequest({ config, platform }, 0);
  const { defaultPersistRoot: _, ...rest } = workerOptions(
    {
      ...described,
      assets: existsSync(assets)
        ? {
          binding: undefined,
          htmlHandling: undefined,
          notFoundHandling: undefined,
          runWorkerFirst: false,
          ...described.assets,
          directory: assets,
        }
        : null,
    },
    await readFile(join(folder, "worker.js"), "utf8"),
  );
  return { options: rest as TestWorker["options"], folder };
}
