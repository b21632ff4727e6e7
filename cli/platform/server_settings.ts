import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { wrongCron } from "./cron_expression.ts";
import { assetsDirectory } from "./worker_request.ts";
import type { Platform } from "./wrangler_file.ts";

/** Runtime of a server that `framework build --target` makes. */
export type ServerTarget = "node" | "deno";

/** Settings of the platform file that a server needs while it runs. */
export interface ServerSettings {
  /** Name of the application. */
  name: string;
  /** Binding of the database; null when the platform file declares none. */
  database: string | null;
  /** Table in which applied migrations are recorded. */
  migrationsTable: string;
  /** Names of the key-value namespaces, by binding. */
  kvNamespaces: Record<string, string>;
  /** Names of the buckets, by binding. */
  buckets: Record<string, string>;
  /** Names of the queues that the application sends to, by binding. */
  producers: Record<string, string>;
  /** Queues whose messages the application receives. */
  consumers: QueueConsumer[];
  /** Schedules of the jobs. */
  crons: string[];
  /** Variables of the platform file, which those of the process override. */
  vars: Record<string, JsonValue>;
  /** Static files: their binding, whether the application is asked before them, and whether `.html` may be left out. */
  assets: { binding: string | null; applicationFirst: boolean; html: boolean };
  /** True when the server answers `/healthz`, because the application does not. */
  health: boolean;
}

/** Queue whose messages the application receives. */
export interface QueueConsumer {
  /** Name of the queue. */
  queue: string;
  /** Largest number of messages of a batch. Default of the platform: 10. */
  maxBatchSize: number;
  /** Seconds for which an incomplete batch waits for more messages. Default of the platform: 5. */
  maxBatchTimeout: number;
  /** Deliveries after the first one. Default of the platform: 3. */
  maxRetries: number;
  /** Seconds before another delivery. Default of the platform: 0. */
  retryDelay: number;
  /** Queue for messages that are not delivered again; null deletes them. */
  deadLetterQueue: string | null;
}

/** Bindings of the platform that one server with one database does not have, and what to use. */
const UNSUPPORTED: Record<string, string> = {
  "ai": "Call the provider's HTTP API with fetch().",
  "analytics_engine_datasets": "Write the data points to a table of the database.",
  "browser": "Connect to a browser of your own with playwright-core.",
  "containers": "Run them beside the server.",
  "dispatch_namespaces": "Build for Workers: `framework build`.",
  "durable_objects":
    "Keep the state in the database, whose transactions serialize writers. For limits use " +
    "createSqlRateLimitStorage() of @framework/auth/rate-limit; for WebSockets a service of its own.",
  "hyperdrive": "Connect to that database with its own driver, and pass its address as a variable.",
  "images": "Use a library such as sharp.",
  "mtls_certificates": "Use node:https with the certificate.",
  "pipelines": "Write to a queue, and forward its batches in app/queues.",
  "ratelimits": "Use createSqlRateLimitStorage() of @framework/auth/rate-limit.",
  "secrets_store_secrets": "Pass secrets as variables of the process.",
  "send_email": "Send mails through your provider's HTTP API.",
  "services": "Call the other service with fetch(), and pass its address as a variable.",
  "vectorize": "Use an extension of your database, or a service of its own.",
  "workflows": "Write the steps as messages of a queue.",
};

/** Kinds of bindings that a server has. */
const SUPPORTED = ["assets", "d1_databases", "kv_namespaces", "queues", "r2_buckets", "vars"];

/**
 * Reads what a server needs from the platform file.
 *
 * @param project The project; `answersHealth`: whether one of its routes is `/healthz`.
 * @throws {CliError} Exit code 2 for everything that one server with one database does not have; the message lists all
 * of it, and the hint names what to use instead.
 */
export function readServerSettings(
  { config, platform, answersHealth }: {
    config: ProjectConfig;
    platform: Platform;
    answersHealth: boolean;
  },
): ServerSettings {
  const faults = [
    ...unsupportedBindings(platform),
    ...otherDatabases(config, platform),
    ...config.dialect === "postgres" ? [] : severalDatabases(platform),
    ...unsupportedAssets(config, platform),
    ...unsupportedQueues(platform),
    ...config.dialect === "postgres" ? [] : lackingDatabase(platform),
    ...unsupportedCrons(platform),
  ];
  if (faults.length > 0) {
    throw new CliError(faults.map(({ message }) => message).join("\n"), {
      exitCode: ExitCode.config,
      hint: [...new Set(faults.map(({ hint }) => hint))].join("\n"),
    });
  }
  const isPostgres = config.dialect === "postgres";
  const [database] = platform.d1Databases;
  const assets = (platform.raw["assets"] ?? {}) as Record<string, unknown>;
  return {
    name: platform.name,
    database: isPostgres ? config.database : database?.binding ?? null,
    migrationsTable: database?.migrationsTable ?? "d1_migrations",
    kvNamespaces: Object.fromEntries(
      platform.kvNamespaces.map(({ binding, id }) => [binding, id ?? binding]),
    ),
    buckets: Object.fromEntries(
      platform.r2Buckets.map(({ binding, bucketName }) => [binding, bucketName ?? binding]),
    ),
    producers: Object.fromEntries(
      platform.queues.producers.map(({ binding, queue }) => [binding, queue]),
    ),
    consumers: platform.queues.consumers.map(({ queue }) => readConsumer(platform, queue)),
    crons: cronsOf(platform),
    vars: platform.vars,
    assets: {
      binding: platform.assets?.binding ?? null,
      applicationFirst: assets["run_worker_first"] === true,
      html: assets["html_handling"] !== "none",
    },
    health: !answersHealth,
  };
}

/** Part of the platform that a server does not have. */
export interface Fault {
  message: string;
  /** Advice on what to do in its place. */
  hint: string;
}

function unsupportedBindings({ file, raw }: Platform): Fault[] {
  return Object.entries(raw).flatMap(([kind, value]) => {
    if (SUPPORTED.includes(kind) || !(Object.hasOwn(UNSUPPORTED, kind) || bindsSomething(value))) {
      return [];
    }
    if (isEmpty(value)) return [];
    return [{
      message: `${basename(file)} declares ${kind}, which a server does not have.`,
      hint: UNSUPPORTED[kind] ??
        "Build for Workers with `framework build`, or remove it from the platform file.",
    }];
  });
}

/** Returns true for a value that names a binding, of kinds that later versions of wrangler bring too. */
function bindsSomething(value: JsonValue): boolean {
  const entries = Array.isArray(value) ? value : [value];
  return entries.some((entry) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry) &&
    (typeof entry["binding"] === "string" || Object.values(entry).some(isListOfBindings))
  );
}

function isListOfBindings(value: JsonValue): boolean {
  return Array.isArray(value) && bindsSomething(value);
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.values(value).every(isEmpty);
}

function severalDatabases({ file, d1Databases }: Platform): Fault[] {
  if (d1Databases.length <= 1) return [];
  const names = d1Databases.map(({ binding }) => binding).join(", ");
  return [{
    message: `${basename(file)} declares several databases (${names}); a server has one.`,
    hint: "Move the tables into one database, or build for Workers with `framework build`.",
  }];
}

/**
 * Finds databases beside PostgreSQL, in which everything of the application is.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @returns Nothing for a project whose database is SQLite.
 */
export function otherDatabases(
  { dialect }: ProjectConfig,
  { file, d1Databases }: Platform,
): Fault[] {
  if (dialect !== "postgres" || d1Databases.length === 0) return [];
  const names = d1Databases.map(({ binding }) => binding).join(", ");
  return [{
    message: `${basename(file)} declares D1 databases (${names}), but the project's is PostgreSQL.`,
    hint: `Remove "d1_databases", or the dialect from "database" of framework.config.ts.`,
  }];
}

/** Refuses queues that nobody here reads: their messages would wait forever. */
function unsupportedQueues({ file, queues }: Platform): Fault[] {
  const consumed = new Set(queues.consumers.map(({ queue }) => queue));
  return queues.producers.filter(({ queue }) => !consumed.has(queue)).map(({ queue }) => ({
    message: `${
      basename(file)
    } sends to the queue "${queue}", which this application does not consume.`,
    hint:
      `Create app/queues/${queue}.ts and declare its consumer, or send to the other application with fetch().`,
  }));
}

/** Refuses what a server keeps in its database, without one. */
function lackingDatabase(
  { file, queues, d1Databases, kvNamespaces, r2Buckets }: Platform,
): Fault[] {
  const needsDatabase = [queues.producers, queues.consumers, kvNamespaces, r2Buckets].flat();
  if (d1Databases.length > 0 || needsDatabase.length === 0) return [];
  return [{
    message: `${
      basename(file)
    } declares no database, in which a server keeps keys, queues and objects.`,
    hint: 'Add "d1_databases": [{ "binding": "DB" }] to it.',
  }];
}

function unsupportedCrons(platform: Platform): Fault[] {
  return cronsOf(platform).flatMap((cron) => {
    const problem = wrongCron(cron);
    if (problem === null) return [];
    return [{
      message: `${basename(platform.file)}: the schedule ${JSON.stringify(cron)} ${problem}.`,
      hint:
        "Write numbers, names such as MON and JAN, *, lists, ranges and steps; 1 is Sunday, as on Workers.",
    }];
  });
}

/** Returns the schedules of the platform's file, each as often as it is there. */
export function cronsOf({ raw }: Platform): string[] {
  const crons = (raw["triggers"] as Record<string, JsonValue> | undefined)?.["crons"];
  return Array.isArray(crons) ? crons.map(String) : [];
}

function readConsumer({ raw }: Platform, queue: string): QueueConsumer {
  const { consumers } = raw["queues"] as { consumers: Record<string, JsonValue>[] };
  const declared = consumers.find((consumer) => consumer["queue"] === queue) ?? {};
  const number = (key: string, standard: number): number => {
    const value = declared[key];
    return typeof value === "number" ? value : standard;
  };
  const deadLetterQueue = declared["dead_letter_queue"];
  return {
    queue,
    maxBatchSize: number("max_batch_size", 10),
    maxBatchTimeout: number("max_batch_timeout", 5),
    maxRetries: number("max_retries", 3),
    retryDelay: number("retry_delay", 0),
    deadLetterQueue: typeof deadLetterQueue === "string" ? deadLetterQueue : null,
  };
}

function unsupportedAssets(config: ProjectConfig, platform: Platform): Fault[] {
  const assets = (platform.raw["assets"] ?? {}) as Record<string, unknown>;
  const name = basename(platform.file);
  const faults: Fault[] = [];
  const refuse = (key: string, accepted: string, hint: string): void => {
    faults.push({
      message: `${name}: assets.${key}: a server supports ${accepted} only, found ${
        JSON.stringify(assets[key])
      }.`,
      hint,
    });
  };
  const { run_worker_first: first, html_handling: html, not_found_handling: missing } = assets;
  if (![undefined, true, false].includes(first as boolean)) {
    refuse("run_worker_first", "true and false", "Write true, and answer with env.ASSETS.fetch().");
  }
  if (![undefined, "auto-trailing-slash", "none"].includes(html as string)) {
    refuse("html_handling", '"auto-trailing-slash" and "none"', "Choose one of them.");
  }
  if (![undefined, "none"].includes(missing as string)) {
    refuse("not_found_handling", '"none"', "Write app/not-found.tsx, or a page with [[...path]].");
  }
  if (existsSync(join(assetsDirectory(config, platform), "_redirects"))) {
    faults.push({
      message: "The static files contain _redirects, which a server does not read.",
      hint: "Write the redirects as routes: `export const GET = () => redirect(…)`.",
    });
  }
  return faults;
}
