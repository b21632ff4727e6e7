import { existsSync } from "node:fs";
import { readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import type { AppScan } from "../app/scan.ts";
import type { ProjectConfig } from "../config/load.ts";
import { productionPlatform } from "../platform/environments.ts";
import { demandSqlite } from "../platform/dialect.ts";
import type { ServerTarget } from "../platform/server_settings.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { assetsDirectory } from "../platform/worker_request.ts";
import { type Diagnostic, formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors, type Output } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { type Analysis, analyze } from "./analysis.ts";
import { analysisPage } from "./analysis_page.ts";
import { demandSoundAuth } from "./auth_check.ts";
import { findWrongExports, prepareBundle } from "./bundle_request.ts";
import { type DriverClient, startDriver } from "./driver.ts";
import type { BundleResult } from "./protocol.ts";
import { writeHeaderFile } from "./header_file.ts";
import { findAuthUses } from "./missing_auth.ts";
import { writeNotices } from "./notices.ts";
import { writeOpenApi } from "./openapi.ts";
import { copyPublicFiles } from "./public_files.ts";
import { writeStaticPages } from "./static_pages.ts";
import {
  planServer,
  type ServerBuild,
  writeServerEntry,
  writeServerFiles,
} from "./server_build.ts";

/** Project to build, and its tools. */
export interface BuildSubject {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  driver: DriverClient;
  /** Variables of the environment that the build is for. */
  vars: Platform["vars"];
  /** Server that is built; undefined for Workers. */
  server: ServerBuild | undefined;
}

/** Options for a build. */
export interface BuildOptions {
  minify: boolean;
  sourcemap: boolean;
  /** Writes analysis.html and analysis.json next to the worker. */
  analyze: boolean;
  /** Aborts the build before it replaces the last one. */
  signal: AbortSignal;
}

/** Result of a build. */
export interface BuildSummary {
  bytes: number;
  gzipBytes: number;
  warnings: Diagnostic[];
  assets: { files: number; bytes: number };
  /** Number of prerendered pages. */
  pages: number;
  /** Composition of the worker. */
  analysis: Analysis;
}

/**
 * Builds into a folder next to the last build and replaces it when complete.
 *
 * @throws {CliError} Exit code 3 for what the bundler found; 2 when the output folder holds something else. The last
 * build then is as it was.
 */
async function bundleForProduction(
  subject: BuildSubject,
  options: BuildOptions,
): Promise<BuildSummary> {
  const { config, platform, scan, driver } = subject;
  await clearLeftovers(config.outDir);
  await refuseForeignFolder(config);
  // As deep as the folder that it becomes, so that paths relative to the project stay valid.
  const fresh = `${config.outDir}.new-${process.pid}`;
  try {
    const { minify, sourcemap, signal, analyze: wantsAnalysis } = options;
    const request = await prepareBundle(subject, scan, {
      dev: false,
      outDir: fresh,
      minify,
      sourcemap,
      server: subject.server && await writeServerEntry(config, subject.server),
    });
    // Beside the bundler: most of it is a thread of its own that loads the files.
    const [bundled, sound] = await Promise.allSettled([
      driver.call("bundle", request),
      demandSoundAuth(subject, { production: true }),
    ]);
    if (bundled.status === "rejected") throw bundled.reason;
    const built = demandSuccess(bundled.value);
    const missing = findWrongExports(scan, built.exports);
    if (missing.length > 0) throw new CliError(missing.join("\n"), { exitCode: ExitCode.build });
    if (sound.status === "rejected") throw sound.reason;
    await writeNotices(fresh, config.root, built.packages);
    const hidden = await copyPublicFiles(
      assetsDirectory(config, platform),
      join(fresh, "assets"),
    );
    const assets = await measure(join(fresh, "assets"));
    const isStatic = Object.values(built.exports).some((names) => names?.includes("prerender"));
    const pages = isStatic ? await writeStaticPages(subject, fresh, minify) : [];
    await writeHeaderFile(join(fresh, "assets"), pages);
    if (subject.server) await writeServerFiles(fresh, config);
    else {
      const wrangler = productionPlatform(platform, config.outDir);
      await writeFile(join(fresh, "wrangler.json"), `${JSON.stringify(wrangler, null, 2)}\n`);
    }
    const undescribed = await writeOpenApi(subject, fresh, built.exports);
    const analysis = analyze(built.modules, { root: config.root, scan, ...built });
    if (wantsAnalysis) await writeAnalysis(fresh, platform.name, analysis);
    if (signal.aborted) {
      throw new CliError("The build was interrupted.", { exitCode: ExitCode.interrupted });
    }
    const uses = await findAuthUses(config, scan);
    await replaceFolder(config.outDir, fresh);
    const warnings = [...built.warnings, ...uses, ...hidden, ...undescribed];
    return { ...built, warnings, assets, pages: pages.length, analysis };
  } catch (error) {
    throw error instanceof CliError ? error : cannotWrite(config, error);
  } finally {
    // What could not be written cannot be removed either; the reason has already been reported.
    await rm(fresh, { recursive: true, force: true }).catch(() => {});
  }
}

function demandSuccess(result: BundleResult): BundleResult & { ok: true } {
  if (result.ok) return result;
  const plain = createColors(false);
  const text = result.errors.map((error) => formatDiagnostic(error, plain)).join("\n\n");
  throw new CliError(`The build failed.\n${text}`, { exitCode: ExitCode.build });
}

/**
 * Creates the error for output that cannot be written, because of a full disk or a read-only
 * folder, for example.
 */
function cannotWrite({ root, outDir }: ProjectConfig, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError(`The build could not be written to ${displayPath(root, outDir)}: ${reason}`, {
    exitCode: ExitCode.build,
    hint: "The last build is unchanged. Check the folder's permissions and the free disk space.",
    cause: error,
  });
}

/** Refuses to replace a folder with files that no build has written. */
async function refuseForeignFolder({ root, outDir }: ProjectConfig): Promise<void> {
  if (!existsSync(outDir) || existsSync(join(outDir, "worker.js"))) return;
  if ((await readdir(outDir)).length === 0) return;
  const name = displayPath(root, outDir);
  throw new CliError(`The folder ${name} contains files that no build has written.`, {
    exitCode: ExitCode.config,
    hint: `Move them, delete the folder, or set outDir in framework.config.ts.`,
  });
}

async function writeAnalysis(folder: string, name: string, analysis: Analysis): Promise<void> {
  await writeFile(join(folder, "analysis.json"), `${JSON.stringify(analysis, null, 2)}\n`);
  await writeFile(join(folder, "analysis.html"), analysisPage(name, analysis));
}

async function measure(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Options for {@linkcode buildProject}. */
export interface BuildProjectOptions {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  /** Variables of the environment that it is built for. Default: those of the file's top level. */
  vars?: Platform["vars"];
  minify: boolean;
  sourcemap: boolean;
  /** Writes an analysis of the worker. Default: false. */
  analyze?: boolean;
  /** Runtime of the server that is built. Default: none; the worker is for Workers. */
  target?: ServerTarget | undefined;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  output: Output;
}

/**
 * Builds the project with its own tools, and prints what they warn of.
 *
 * @param options The project, and how it is built.
 * @throws {CliError} Exit code 3 for what the bundler found, 2 when a tool is missing.
 */
export async function buildProject(options: BuildProjectOptions): Promise<BuildSummary> {
  const { config, platform, scan, env, output, minify, sourcemap, signal } = options;
  const { vars = platform.vars } = options;
  if (options.target === undefined) {
    demandSqlite(
      config,
      "The database of a Worker is D1, which is SQLite",
      "Build a server: `framework build --target node` or `--target deno`.",
    );
  }
  requirePackage("esbuild", config.root);
  const server = options.target && planServer(options.target, { config, platform, scan });
  const driver = startDriver({
    root: config.root,
    env,
    log: (text) => output.detail(text.trimEnd()),
  });
  try {
    const built = await bundleForProduction({ config, platform, scan, driver, vars, server }, {
      minify,
      sourcemap,
      analyze: options.analyze ?? false,
      signal,
    });
    for (const warning of built.warnings) output.warn(formatDiagnostic(warning, output.color));
    return built;
  } finally {
    await driver.close();
  }
}

/**
 * Replaces a folder with another one.
 *
 * @param target Absolute path of the folder to replace; it may not exist.
 * @param fresh Absolute path of the new one, beside it.
 */
export async function replaceFolder(target: string, fresh: string): Promise<void> {
  const old = `${target}.old-${process.pid}`;
  const existed = existsSync(target);
  if (existed) await rename(target, old);
  try {
    await rename(fresh, target);
  } catch (error) {
    if (existed) await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

/**
 * Removes leftovers of killed builds next to a folder, and restores the folder when one was killed
 * while replacing it.
 *
 * @param target Absolute path of the folder.
 */
export async function clearLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const [, kind, pid] = /^\.(new|old)-(\d+)$/.exec(name.slice(basename(target).length)) ?? [];
    if (!name.startsWith(basename(target)) || kind === undefined || isRunning(Number(pid))) {
      continue;
    }
    const leftover = join(parent, name);
    if (kind === "old" && !existsSync(target)) await rename(leftover, target);
    else await rm(leftover, { recursive: true, force: true });
  }
}

/** Returns true when another build is running. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
