import { startDriver } from "../driver/client.ts";
import { formatDiagnostic } from "../driver/frame.ts";
import type { Output } from "../terminal/output.ts";
import type { ProjectConfig } from "./config.ts";
import type { Platform } from "./platform.ts";
import { type BuildSummary, bundleForProduction } from "./production_build.ts";
import type { AppScan } from "./scan.ts";
import { requirePackage } from "./tools.ts";

/** What {@linkcode buildProject} needs. */
export interface BuildProjectOptions {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  /** Variables of the environment that it is built for. Default: those of the file's top level. */
  vars?: Platform["vars"];
  minify: boolean;
  sourcemap: boolean;
  /** Whether to write what the worker is made of. Default: false. */
  analyze?: boolean;
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
  requirePackage("esbuild", config.root);
  const driver = startDriver({
    root: config.root,
    env,
    log: (text) => output.detail(text.trimEnd()),
  });
  try {
    const built = await bundleForProduction({ config, platform, scan, driver, vars }, {
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
