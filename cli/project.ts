/**
 * What `@framework/testing` reads of a project: configuration, platform file, migrations.
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
export { loadConfig, type LoadConfigOptions, type ProjectConfig } from "./project/config.ts";
export type { JsonValue } from "./project/jsonc.ts";
export {
  type Assets,
  type D1Database,
  type DurableObjectBinding,
  type KvNamespace,
  type Platform,
  type Queues,
  type R2Bucket,
  readPlatform,
  readPlatformFile,
} from "./project/platform.ts";
export { findPlatformFile } from "./project/platform_file.ts";
export type { BackgroundFiles } from "./project/background_files.ts";
export type { AuthFile } from "./project/file_convention.ts";
export { type AppScan, scanApp, type ScannedErrorPage, type ScannedRoute } from "./project/scan.ts";
export type { Segment } from "./project/pattern.ts";
export type { AppManifest } from "./runtime/manifest.ts";
export { loadManifest, type LoadManifestOptions } from "./project/manifest.ts";
export { localDatabasePath } from "./migrate/local_database.ts";
export { type FileStatement, splitStatements } from "./migrate/sql_statements.ts";
export { type Migration, readMigrations } from "./migrate/migration_files.ts";
export { CliError, type CliErrorOptions, ExitCode } from "./terminal/exit.ts";
