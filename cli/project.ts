/**
 * Reads a project for `@framework/testing`: configuration, platform file, migrations.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { loadConfig } from "@framework/cli/project";
 *
 * const folder = await mkdtemp(join(tmpdir(), "project-"));
 * const config = await loadConfig(folder);
 * assert.equal(config.appDir, join(folder, "app"));
 * await rm(folder, { recursive: true });
 * ```
 *
 * @module
 */
export type { Dialect } from "./config/define_config.ts";
export { loadConfig, type LoadConfigOptions, type ProjectConfig } from "./config/load.ts";
export type { JsonValue } from "./tools/jsonc.ts";
export {
  type Assets,
  type D1Database,
  type DurableObjectBinding,
  type KvNamespace,
  type Platform,
  type PlatformFileOptions,
  type Queues,
  type R2Bucket,
  readPlatform,
  readPlatformFile,
} from "./platform/wrangler_file.ts";
export { findPlatformFile } from "./config/wrangler_file.ts";
export type { AuthFile, BackgroundFiles } from "./app/convention.ts";
export { type AppScan, scanApp, type ScannedErrorPage, type ScannedRoute } from "./app/scan.ts";
export type { Segment } from "./runtime/pattern.ts";
export type { AppManifest } from "./runtime/manifest.ts";
export { loadManifest, type LoadManifestOptions } from "./app/manifest.ts";
export { type PostgresAddress, readDatabaseUrl } from "./migrate/postgres_address.ts";
export type { Place } from "./migrate/plan.ts";
export { localDatabasePath } from "./migrate/local_database.ts";
export { type FileStatement, splitStatements } from "./migrate/statements.ts";
export { type Migration, readMigrations } from "./migrate/files.ts";
export { CliError, type CliErrorOptions, ExitCode } from "./terminal/exit.ts";
