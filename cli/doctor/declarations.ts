import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type AppScan, scanApp } from "../app/scan.ts";
import { type BackgroundFault, compareBackground } from "../build/background_check.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { CliError } from "../terminal/exit.ts";
import { bindingsOf, examineMissingBindings } from "./bindings.ts";
import { type Finding, ok, problem } from "./checks.ts";

/**
 * Compares queues, cron jobs, durable objects and the database with the platform file, as every
 * build does, and then the bindings that the code uses.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @returns Nothing for a project that has none of them, or whose files cannot be read, which another check says.
 */
export async function examineDeclarations(
  config: ProjectConfig,
  platform: Platform,
): Promise<Finding[]> {
  const check = "background work";
  const scan = await scanIfAny(config);
  if (scan === undefined) return [];
  const { exports, faults } = compareBackground(scan, platform, config);
  const handled = bindingsOf(faults.flatMap(({ additions }) => additions));
  const bindings = examineMissingBindings(config, platform, handled);
  if (faults.length > 0) {
    const message = faults.flatMap(({ messages }) => messages).join("\n");
    const finding: Finding = { ...problem(check, message, remedy(faults)), configuration: true };
    return [finding, ...bindings];
  }
  const found = [
    ...Object.keys(scan.queues).map((name) => `queue ${name}`),
    ...scan.cron.map((file) => `cron ${basename(file).replace(/\.tsx?$/, "")}`),
    ...exports.flatMap(({ classes }) => classes).map((name) => `object ${name}`),
  ];
  return found.length === 0 ? bindings : [ok(check, found.join(", ")), ...bindings];
}

/**
 * Scans the application.
 *
 * @returns undefined without an application, or for one whose files cannot be routed.
 */
export async function scanIfAny({ appDir }: ProjectConfig): Promise<AppScan | undefined> {
  if (!existsSync(appDir)) return undefined;
  return await scanApp(appDir).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
}

function remedy(faults: BackgroundFault[]): string {
  const lines = faults.map(({ hint }) => hint);
  const writable = faults.filter(({ additions }) => additions.length > 0).length;
  if (writable === 0) return lines.join("\n");
  return [...lines, `Or run \`framework doctor --fix\`, which writes what is to be added.`]
    .join("\n");
}
