/**
 * Builds workers for tests in workerd: the application, bundled as by `framework build`, and the
 * bindings of its platform file as options for miniflare.
 *
 * @example
 * ```ts
 * import { buildTestWorker, type TestWorker, type TestWorkerOptions } from "@framework/cli/testing";
 * import { rm } from "node:fs/promises";
 * import { equal } from "node:assert/strict";
 *
 * async function withWorker(
 *   options: TestWorkerOptions,
 *   use: (options: TestWorker["options"]) => Promise<void>,
 * ): Promise<void> {
 *   const worker = await buildTestWorker(options);
 *   try {
 *     await use(worker.options); // new Miniflare(worker.options)
 *   } finally {
 *     await rm(worker.folder, { recursive: true });
 *   }
 * }
 * equal(withWorker.length, 2);
 * ```
 *
 * @module
 */
export { importedSource, importLoaders } from "./build/asset_imports.ts";
export {
  bundleWorker,
  type WorkerBundleOptions,
  type WorkerCode,
  workerFileSource,
} from "./build/bundle_worker.ts";
export {
  buildForeignWorker,
  buildTestWorker,
  DEFAULT_ENTRYPOINT,
  type ForeignWorkerOptions,
  type TestWorker,
  type TestWorkerOptions,
} from "./build/test_worker.ts";
export type { ProjectConfig } from "./config/load.ts";
export { hyperdriveAddress } from "./platform/hyperdrive.ts";
export { type ObjectClassEntry, objectClasses } from "./platform/object_classes.ts";
export type { Platform } from "./platform/wrangler_file.ts";
export type { AppScan } from "./app/scan.ts";
export type { ObjectConditions, ObjectMetadata, ObjectRange } from "./runtime/bindings.ts";
export type { AppAssets } from "./client/assets.ts";
export { type DocumentIslands, islandScripts, withIslands } from "./client/islands.ts";
export {
  type BucketRules,
  bucketRules,
  type Conditions,
  type EntityTag,
  type Hash,
  type HashName,
  type Version,
} from "./server/file_options.ts";
export type { ListOptions } from "./server/file_list_options.ts";
export {
  createKvNamespace,
  type KvEntry,
  type KvKey,
  type KvListOptions,
  type KvListResult,
  type KvNamespace,
  type KvPage,
  type KvPutOptions,
  type KvReadOptions,
  type KvStore,
  type KvType,
  type KvValue,
  type KvValueWithMetadata,
} from "./server/kv_namespace.ts";
export { type AssetRules, assetRules } from "./server/asset_rules.ts";
export type { HeaderRules } from "./server/header_rules.ts";
export type { IgnoreRules } from "./server/ignore_rules.ts";
