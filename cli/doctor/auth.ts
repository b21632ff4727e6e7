import { existsSync } from "node:fs";
import { startDriver } from "../driver/client.ts";
import { createColors } from "../terminal/colors.ts";
import { formatDiagnostic } from "../driver/frame.ts";
import { type AuthExamination, examineAuth } from "../project/auth_check.ts";
import type { ProjectConfig } from "../project/config.ts";
import { hasAuth } from "../project/entry.ts";
import type { Platform } from "../project/platform.ts";
import { type AppScan, scanApp } from "../project/scan.ts";
import { findPackage } from "../project/tools.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { type Finding, ok, problem } from "./finding.ts";

/**
 * Looks at `app/auth`: the names of its files, and what they declare.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @param env Environment variables, for `PATH`.
 * @returns Nothing for a project without accounts, or without the tools that the files are read with.
 */
export async function checkAuth(
  config: ProjectConfig,
  platform: Platform,
  env: Record<string, string | undefined>,
): Promise<Finding[]> {
  if (!existsSync(config.appDir)) return [];
  let about = "application";
  try {
    const scan = await scanApp(config.appDir);
    if (!hasAuth(scan.auth) || findPackage("esbuild", config.root) === undefined) return [];
    about = "authentication";
    const { error, errors } = await examine({ config, platform, scan }, env);
    if (error !== null) throw error;
    if (errors.length === 0) return [ok(about, "can be set up")];
    const text = errors.map((each) => formatDiagnostic(each, createColors(false))).join("\n");
    return [problem(about, text, "Correct the place that is shown.")];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const found = problem(about, error.message, error.hint);
    return [error.exitCode === ExitCode.config ? { ...found, configuration: true } : found];
  }
}

async function examine(
  subject: { config: ProjectConfig; platform: Platform; scan: AppScan },
  env: Record<string, string | undefined>,
): Promise<AuthExamination> {
  const driver = startDriver({ root: subject.config.root, env, log: () => {} });
  try {
    return await examineAuth({ ...subject, driver }, { dev: false });
  } finally {
    await driver.close();
  }
}
