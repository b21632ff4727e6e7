import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppScan } from "../app/scan.ts";
import type { AppAssets } from "../client/assets.ts";
import type { ProjectConfig } from "../config/load.ts";
import { isSection } from "../platform/environment_section.ts";
import { hyperdriveAddress } from "../platform/hyperdrive.ts";
import { objectClasses } from "../platform/object_classes.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { workerOptions } from "../platform/worker_options.ts";
import { assetsDirectory, workerRequest } from "../platform/worker_request.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors } from "../terminal/output.ts";
import { requirePackages } from "../tools/packages.ts";
import { bundleWorker } from "./bundle_worker.ts";
import { copyPublicFiles } from "./public_files.ts";

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
  requirePackages(["esbuild", "miniflare"], config.root);
  // Loaded here, because tests in the worker pool of vitest 3 import this file, and cannot load these.
  const [{ findWrongExports, prepareBundle }, { startDriver }] = await Promise.all([
    import("./bundle_request.ts"),
    import("./driver.ts"),
  ]);
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
  if (existsSync(statics)) await copyPublicFiles(statics, directory);
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

/**
 * Name of the entrypoint of {@linkcode buildForeignWorker} that is the worker's own default export.
 *
 * @example
 * ```ts
 * import { DEFAULT_ENTRYPOINT } from "@framework/cli/testing";
 * import { equal } from "node:assert/strict";
 *
 * const binding = { name: "notes", entrypoint: DEFAULT_ENTRYPOINT }; // of miniflare's serviceBindings
 * equal(binding.entrypoint, "FrameworkTestDefault");
 * ```
 */
export const DEFAULT_ENTRYPOINT = "FrameworkTestDefault";

/** Options for {@linkcode buildForeignWorker}. */
export interface ForeignWorkerOptions {
  /** Configuration of the project, from `loadConfig()`. */
  config: ProjectConfig;
  /** Bindings of the worker, from `readPlatformFile()`. */
  platform: Platform;
  /** Absolute path of the worker's module. */
  main: string;
  /** Absolute path of a module whose `wrapWorker(module)` is called in the worker's entry. */
  wrapper: string;
}

/**
 * Bundles any worker as wrangler does, for an emulator that the caller runs.
 *
 * @param options The project with its worker, and the module that its entry is wrapped by.
 * @throws {CliError} Exit code 3 for what the bundler found, 2 when a tool is missing.
 *
 * @example
 * ```ts
 * import { loadConfig, readPlatformFile } from "@framework/cli/project";
 * import { buildForeignWorker, type TestWorker } from "@framework/cli/testing";
 * import { rejects } from "node:assert/strict";
 * import { join } from "node:path";
 *
 * async function build(root: string, wrapper: string): Promise<TestWorker["options"]> {
 *   const config = await loadConfig(root);
 *   const platform = readPlatformFile(config.platformFile, { anyWorker: true });
 *   const main = join(root, "src", "index.ts");
 *   return await buildForeignWorker({ config, platform, main, wrapper });
 * }
 * await rejects(build("/no/such/project", "/no/such/wrapper.ts"), { name: "CliError" });
 * ```
 */
export async function buildForeignWorker(
  { config, platform, main, wrapper }: ForeignWorkerOptions,
): Promise<TestWorker["options"]> {
  requirePackages(["esbuild", "miniflare"], config.root);
  const path = JSON.stringify(main);
  const { code, modules } = await bundleWorker({
    root: config.root,
    main,
    platform,
    entry: {
      folder: config.root,
      // The wrapper comes first: it sets the clock that modules of the worker may keep.
      source: [
        `import { wrapWorker } from ${JSON.stringify(wrapper)};`,
        `import * as worker from ${path};`,
        `export * from ${path};`,
        // The methods of a default export that is a class are called by this name: the wrapped one has handlers alone.
        `export { default as ${DEFAULT_ENTRYPOINT} } from ${path};`,
        "export default wrapWorker(worker);",
        "",
      ].join("\n"),
    },
  });
  const described = workerRequest({ config, platform }, 0);
  const flags = described.compatibilityFlags;
  const { defaultPersistRoot: _, workers, ...rest } = workerOptions(
    {
      ...described,
      // The wrapper follows a request through its promises.
      compatibilityFlags: flags.includes("nodejs_compat") ? flags : [...flags, "nodejs_als"],
      assets: platform.assets === undefined ? null : described.assets,
    },
    { name: "worker.js", code },
    otherBindings(platform),
  ) as TestWorker["options"];
  const [worker = {}] = workers;
  const wasm = modules.map(({ name, contents }) => ({
    type: "CompiledWasm",
    path: name.replace(/^\.\//, ""),
    contents,
  }));
  return {
    ...rest,
    workers: [{ ...worker, modules: [...worker["modules"] as object[], ...wasm] }],
  };
}

/** Describes bindings that the development server has no need of, in the emulator's terms. */
function otherBindings({ name, raw, durableObjects }: Platform): Record<string, unknown> {
  const list = (key: string): Record<string, string>[] =>
    Array.isArray(raw[key]) ? raw[key] as Record<string, string>[] : [];
  const own = list("services").filter(({ service }) => service === name);
  const bound = new Set(durableObjects.map(({ className }) => className));
  const unbound = objectClasses(raw).filter(({ className }) => !bound.has(className));
  return {
    ...(unbound.length > 0 && { additionalUnboundDurableObjects: unbound }),
    ...(list("ratelimits").length > 0 && {
      ratelimits: Object.fromEntries(list("ratelimits").map(({ name, ...limit }) => [name, limit])),
    }),
    ...(isSection(raw["images"]) && { images: { binding: raw["images"]["binding"] } }),
    ...(list("pipelines").length > 0 && {
      pipelines: Object.fromEntries(
        list("pipelines").map(({ binding, stream, pipeline }) => [binding, stream ?? pipeline]),
      ),
    }),
    ...(own.length > 0 && {
      serviceBindings: Object.fromEntries(
        own.map(({ binding, entrypoint, props }) => [
          binding,
          { name, entrypoint, ...(props && { props }) },
        ]),
      ),
    }),
    ...(list("workflows").length > 0 && {
      workflows: Object.fromEntries(
        list("workflows").map((each) => [
          each["binding"],
          { name: each["name"], className: each["class_name"] },
        ]),
      ),
    }),
    ...(list("send_email").length > 0 && { email: { send_email: list("send_email") } }),
    ...(list("hyperdrive").length > 0 && {
      hyperdrives: Object.fromEntries(
        list("hyperdrive").flatMap((entry) => {
          const address = hyperdriveAddress(entry);
          return address === undefined ? [] : [[entry["binding"], address]];
        }),
      ),
    }),
  };
}
