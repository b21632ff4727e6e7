import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { type Analysis, analyze } from "../analyze/analysis.ts";
import { analysisPage } from "../analyze/page.ts";
import { assetsFolder } from "../client/assets.ts";
import { type Diagnostic, formatDiagnostic } from "../driver/frame.ts";
import { assetsDirectory } from "../driver/worker_request.ts";
import type { DriverClient } from "../driver/client.ts";
import type { BundleResult } from "../driver/protocol.ts";
import { createColors } from "../terminal/colors.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { demandSoundAuth } from "./auth_check.ts";
import { findWrongExports, prepareBundle } from "./bundle_request.ts";
import type { ProjectConfig } from "./config.ts";
import { clearLeftovers, replaceFolder } from "./output_folder.ts";
import { displayPath } from "./paths.ts";
import type { Platform } from "./platform.ts";
import { productionPlatform } from "./production_platform.ts";
import type { AppScan } from "./scan.ts";

/** What is built, and by what. */
export interface BuildSubject {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  driver: DriverClient;
  /** Variables of the environment that it is built for. */
  vars: Platform["vars"];
}

/** How it is built. */
export interface BuildOptions {
  minify: boolean;
  sourcemap: boolean;
  /** Whether to write analysis.html and analysis.json beside the worker. */
  analyze: boolean;
  /** Stops the build before it replaces the last one. */
  signal: AbortSignal;
}

/** What a build came to. */
export interface BuildSummary {
  bytes: number;
  gzipBytes: number;
  warnings: Diagnostic[];
  assets: { files: number; bytes: number };
  /** What the worker is made of. */
  analysis: Analysis;
}

/**
 * Builds into a folder beside the last build, and puts it in that one's place when it is complete.
 *
 * @throws {CliError} Exit code 3 for what the bundler found; 2 when the output folder holds something else. The last build then is as it was.
 */
export async function bundleForProduction(
  subject: BuildSubject,
  options: BuildOptions,
): Promise<BuildSummary> {
  const { config, platform, scan, driver } = subject;
  await clearLeftovers(config.outDir);
  await refuseForeignFolder(config);
  // As deep as the folder that it becomes: paths inside, relative to the project, stay right.
  const fresh = `${config.outDir}.new-${process.pid}`;
  try {
    const { minify, sourcemap, signal, analyze: wantsAnalysis } = options;
    const request = await prepareBundle(subject, scan, {
      dev: false,
      outDir: fresh,
      minify,
      sourcemap,
    });
    const built = demandSuccess(await driver.call("bundle", request));
    const missing = findWrongExports(scan, built.exports);
    if (missing.length > 0) throw new CliError(missing.join("\n"), { exitCode: ExitCode.build });
    await demandSoundAuth(subject);
    const assets = await copyAssets(assetsDirectory(config, platform), join(fresh, "assets"));
    if (existsSync(join(fresh, "assets", assetsFolder))) await addHeaders(join(fresh, "assets"));
    const wrangler = productionPlatform(platform, config.outDir);
    await writeFile(join(fresh, "wrangler.json"), `${JSON.stringify(wrangler, null, 2)}\n`);
    const analysis = analyze(built.modules, { root: config.root, scan, ...built });
    if (wantsAnalysis) await writeAnalysis(fresh, platform.name, analysis);
    if (signal.aborted) {
      throw new CliError("The build was interrupted.", { exitCode: ExitCode.interrupted });
    }
    await replaceFolder(config.outDir, fresh);
    return { ...built, assets, analysis };
  } catch (error) {
    throw error instanceof CliError ? error : cannotWrite(config, error);
  } finally {
    // What could not be written cannot be removed either; the reason is told already.
    await rm(fresh, { recursive: true, force: true }).catch(() => {});
  }
}

function demandSuccess(result: BundleResult): BundleResult & { ok: true } {
  if (result.ok) return result;
  const plain = createColors(false);
  const text = result.errors.map((error) => formatDiagnostic(error, plain)).join("\n\n");
  throw new CliError(`The build failed.\n${text}`, { exitCode: ExitCode.build });
}

/** A full disk, for example, or a folder that is read-only. */
function cannotWrite({ root, outDir }: ProjectConfig, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError(`The build cannot be written to ${displayPath(root, outDir)}: ${reason}`, {
    exitCode: ExitCode.build,
    hint: "The last build is as it was. Check the folder's rights and the space on the disk.",
    cause: error,
  });
}

/** A build replaces the whole folder: one that holds a person's files is not a build. */
async function refuseForeignFolder({ root, outDir }: ProjectConfig): Promise<void> {
  if (!existsSync(outDir) || existsSync(join(outDir, "worker.js"))) return;
  if ((await readdir(outDir)).length === 0) return;
  const name = displayPath(root, outDir);
  throw new CliError(`The folder ${name} holds files that no build has written.`, {
    exitCode: ExitCode.config,
    hint: `Move them, delete the folder, or set outDir in framework.config.ts.`,
  });
}

async function writeAnalysis(folder: string, name: string, analysis: Analysis): Promise<void> {
  await writeFile(join(folder, "analysis.json"), `${JSON.stringify(analysis, null, 2)}\n`);
  await writeFile(join(folder, "analysis.html"), analysisPage(name, analysis));
}

/** What is named after its content never changes; the platform reads this file and does not serve it. */
async function addHeaders(folder: string): Promise<void> {
  const rule =
    `${assetsFolder}/*\n  ! Cache-Control\n  Cache-Control: public, max-age=31536000, immutable\n`;
  await appendFile(join(folder, "_headers"), `\n${rule}`);
}

async function copyAssets(from: string, to: string): Promise<{ files: number; bytes: number }> {
  await mkdir(to, { recursive: true });
  if (!existsSync(from)) return { files: 0, bytes: 0 };
  await cp(from, to, { recursive: true, dereference: true });
  const entries = await readdir(to, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
