import { existsSync } from "node:fs";
import { basename } from "node:path";
import { scanApp } from "../app/scan.ts";
import { checkBackground } from "../build/background_check.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError } from "../terminal/exit.ts";
import { type Finding, ok, problem } from "./checks.ts";

/**
 * Compares queues, cron jobs and durable objects with the platform file, as every build does.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @returns undefined for a project that has none of them, or whose files cannot be read, which another check says.
 */
export async function examineBackground(
  config: ProjectConfig,
  platform: Platform,
): Promise<Finding | undefined> {
  const check = "background work";
  if (!existsSync(config.appDir)) return undefined;
  const scan = await scanApp(config.appDir).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (scan === undefined) return undefined;
  try {
    const objects = checkBackground(scan, platform).flatMap(({ classes }) => classes);
    const found = [
      ...Object.keys(scan.queues).map((name) => `queue ${name}`),
      ...scan.cron.map((file) => `cron ${basename(file).replace(/\.tsx?$/, "")}`),
      ...objects.map((name) => `object ${name}`),
    ];
    return found.length === 0 ? undefined : ok(check, found.join(", "));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...problem(check, error.message, error.hint), configuration: true };
  }
}
