import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { ProjectConfig } from "../config/load.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { objectClasses } from "./object_classes.ts";
import type { DurableObjectBinding, Platform } from "./wrangler_file.ts";

/** The worker to run, as the platform file describes it, in the emulator's terms. */
export interface ServeRequest {
  /** Absolute path of the project. */
  root: string;
  name: string;
  compatibilityDate: string;
  compatibilityFlags: string[];
  vars: Record<string, JsonValue>;
  d1Databases: Record<string, string>;
  kvNamespaces: Record<string, string>;
  r2Buckets: Record<string, string>;
  queueProducers: Record<string, string>;
  /** Settings by queue name, in the emulator's terms. */
  queueConsumers: Record<string, Record<string, JsonValue>>;
  /** By binding. */
  durableObjects: Record<string, { className: string; useSQLite: boolean }>;
  assets: AssetOptions | null;
  /** Number that increases when a static file has changed: the emulator lists them when it starts. */
  assetsRevision: number;
}

/** Settings of static files. */
export interface AssetOptions {
  /** Absolute path of the folder. */
  directory: string;
  binding: string | undefined;
  htmlHandling: string | undefined;
  notFoundHandling: string | undefined;
  /** `true`, or the paths for which the worker runs before the files are checked. */
  runWorkerFirst: boolean | string[];
}

/** Bindings of the platform file that cannot run locally. */
const remoteOnly = [
  "ai",
  "analytics_engine_datasets",
  "browser",
  "dispatch_namespaces",
  "hyperdrive",
  "images",
  "mtls_certificates",
  "pipelines",
  "send_email",
  "services",
  "vectorize",
  "workflows",
];

/**
 * Describes the worker to the driver. Ids are chosen as wrangler chooses them, so that both use the
 * same local data.
 *
 * @param project The project.
 * @param assetsRevision A number that rises when a static file has changed.
 */
export function workerRequest(
  { config, platform }: { config: ProjectConfig; platform: Platform },
  assetsRevision: number,
): ServeRequest {
  return {
    root: config.root,
    name: platform.name,
    compatibilityDate: platform.compatibilityDate,
    compatibilityFlags: platform.compatibilityFlags,
    vars: { ...platform.vars, ...readDevVars(config.root) },
    d1Databases: Object.fromEntries(
      platform.d1Databases.map(({ binding, databaseId, previewDatabaseId }) => [
        binding,
        previewDatabaseId ?? databaseId ?? binding,
      ]),
    ),
    kvNamespaces: Object.fromEntries(
      platform.kvNamespaces.map((
        { binding, id, previewId },
      ) => [binding, previewId ?? id ?? binding]),
    ),
    r2Buckets: Object.fromEntries(
      platform.r2Buckets.map(({ binding, bucketName, previewBucketName }) => [
        binding,
        previewBucketName ?? bucketName ?? binding,
      ]),
    ),
    queueProducers: Object.fromEntries(
      platform.queues.producers.map(({ binding, queue }) => [binding, queue]),
    ),
    queueConsumers: Object.fromEntries(
      platform.queues.consumers.map(({ queue }) => [queue, readConsumer(platform, queue)]),
    ),
    durableObjects: Object.fromEntries(
      platform.durableObjects.filter(isOwnObject).map(({ name, className }) => [
        name,
        { className, useSQLite: usesSqlite(platform, className) },
      ]),
    ),
    assets: readAssets(config, platform),
    assetsRevision,
  };
}

/**
 * Returns true when the class is this worker's own; a class of another worker would require that
 * one to run.
 */
function isOwnObject({ scriptName }: DurableObjectBinding): boolean {
  return scriptName === undefined;
}

function usesSqlite({ raw }: Platform, name: string): boolean {
  return objectClasses(raw).some(({ className, useSQLite }) => className === name && useSQLite);
}

/** Names of a consumer's settings in the platform file and in the emulator. */
const consumerSettings = {
  "max_batch_size": "maxBatchSize",
  "max_batch_timeout": "maxBatchTimeout",
  "max_retries": "maxRetries",
  "dead_letter_queue": "deadLetterQueue",
  "retry_delay": "retryDelay",
};

function readConsumer({ raw }: Platform, queue: string): Record<string, JsonValue> {
  const { consumers } = raw["queues"] as { consumers: Record<string, JsonValue>[] };
  const declared = consumers.find((consumer) => consumer["queue"] === queue) ?? {};
  return Object.fromEntries(
    Object.entries(consumerSettings).flatMap(([from, to]) => {
      const value = declared[from];
      return value === undefined ? [] : [[to, value]];
    }),
  );
}

/** Returns the folder of the static files: the platform file's, otherwise the configured one. */
export function assetsDirectory(config: ProjectConfig, platform: Platform): string {
  const declared = platform.assets?.directory;
  return declared === undefined ? config.publicDir : resolve(dirname(platform.file), declared);
}

function readAssets(config: ProjectConfig, platform: Platform): AssetOptions | null {
  const directory = assetsDirectory(config, platform);
  if (!existsSync(directory)) return null;
  const raw = (platform.raw["assets"] ?? {}) as Record<string, unknown>;
  const text = (key: string): string | undefined =>
    typeof raw[key] === "string" ? raw[key] : undefined;
  const first = raw["run_worker_first"];
  return {
    directory,
    binding: platform.assets?.binding,
    htmlHandling: text("html_handling"),
    notFoundHandling: text("not_found_handling"),
    runWorkerFirst: Array.isArray(first) ? first.map(String) : first === true,
  };
}

/** Reads secrets for local development, which no tool commits. */
export function readDevVars(root: string): Record<string, string> {
  const file = join(root, ".dev.vars");
  if (!existsSync(file)) return {};
  return parseEnv(readFileSync(file, "utf8")) as Record<string, string>;
}

/** Returns the names of all bindings and variables, for the ready line. */
export function bindingNames(request: ServeRequest): string[] {
  return [
    request.d1Databases,
    request.kvNamespaces,
    request.r2Buckets,
    request.queueProducers,
    request.durableObjects,
  ].flatMap(Object.keys);
}

/** Returns keys of the platform file whose bindings are missing when the worker runs locally. */
export function missingBindings(platform: Platform): string[] {
  const foreignObjects = platform.durableObjects.every(isOwnObject) ? [] : ["durable_objects"];
  return [...foreignObjects, ...remoteOnly.filter((key) => platform.raw[key] !== undefined)];
}
