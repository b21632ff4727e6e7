import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { ProjectConfig } from "./config.ts";
import { type JsoncDocument, JsoncError, type JsonValue, parseJsonc } from "./jsonc.ts";
import { createPlatformReader, type PlatformReader } from "./platform_reader.ts";

/** A D1 database of the platform's file. */
export interface D1Database {
  binding: string;
  databaseName: string | undefined;
  databaseId: string | undefined;
  previewDatabaseId: string | undefined;
  /** As written; relative to the platform's file. */
  migrationsDir: string | undefined;
  /** Table in which wrangler records migrations. Default: `d1_migrations`. */
  migrationsTable: string;
}

/** A KV namespace of the platform's file. */
export interface KvNamespace {
  binding: string;
  id: string | undefined;
  previewId: string | undefined;
}

/** An R2 bucket of the platform's file. */
export interface R2Bucket {
  binding: string;
  bucketName: string | undefined;
  previewBucketName: string | undefined;
}

/** The queues of the platform's file. */
export interface Queues {
  producers: { binding: string; queue: string }[];
  consumers: { queue: string }[];
}

/** A Durable Object binding of the platform's file. */
export interface DurableObjectBinding {
  name: string;
  className: string;
  /** Set when the class lives in another worker. */
  scriptName: string | undefined;
}

/** The static files' entry of the platform's file. */
export interface Assets {
  directory: string | undefined;
  binding: string | undefined;
}

/** The platform's file, checked where the commands rely on it. */
export interface Platform {
  /** Absolute path of the file. */
  file: string;
  /** Name of the worker. */
  name: string;
  compatibilityDate: string;
  /** Holds `nodejs_compat`. */
  compatibilityFlags: string[];
  d1Databases: D1Database[];
  kvNamespaces: KvNamespace[];
  r2Buckets: R2Bucket[];
  queues: Queues;
  durableObjects: DurableObjectBinding[];
  /** Plain variables, as written. */
  vars: Record<string, JsonValue>;
  assets: Assets | undefined;
  /** The whole file as written. */
  raw: Record<string, JsonValue>;
}

/**
 * Reads and checks the platform's file (`wrangler.json` or `wrangler.jsonc`).
 *
 * @param config The project's configuration, or any object that names root and file.
 * @throws {CliError} Exit code 2 with file, line, what is expected and what was found. Values are not
 * printed: the file may hold secrets.
 */
// deno-lint-ignore require-await -- a promise by contract: reading may become asynchronous.
export async function readPlatform(
  config: Pick<ProjectConfig, "root" | "platformFile">,
): Promise<Platform> {
  return readPlatformFile(config.platformFile);
}

/**
 * The same for a caller that cannot wait.
 *
 * @param file Absolute path of the platform's file.
 * @throws {CliError} As `readPlatform`.
 */
export function readPlatformFile(file: string): Platform {
  const reader = createPlatformReader(basename(file), parseFile(file));
  const flags = reader.strings("compatibility_flags") ?? [];
  if (!flags.includes("nodejs_compat")) {
    throw reader.fail("compatibility_flags", '"nodejs_compat" is missing', {
      hint: `Add the line "compatibility_flags": ${
        JSON.stringify([...flags, "nodejs_compat"])
      }, to ${basename(file)}.`,
    });
  }
  return {
    file,
    name: reader.requiredString("name", {
      pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      expected: "lower-case letters, digits and dashes, 63 at most",
    }),
    compatibilityDate: reader.requiredString("compatibility_date", {
      pattern: /^\d{4}-\d{2}-\d{2}$/,
      expected: "a date such as 2026-07-01",
    }),
    compatibilityFlags: flags,
    ...readBindings(reader),
    vars: reader.object("vars") ?? {},
    assets: readAssets(reader),
    raw: reader.raw,
  };
}

function readBindings(
  reader: PlatformReader,
): Pick<Platform, "d1Databases" | "kvNamespaces" | "r2Buckets" | "queues" | "durableObjects"> {
  const read = reader.string;
  const need = reader.requiredString;
  return {
    d1Databases: reader.objects("d1_databases").map((path) => ({
      binding: need(`${path}.binding`),
      databaseName: read(`${path}.database_name`),
      databaseId: read(`${path}.database_id`),
      previewDatabaseId: read(`${path}.preview_database_id`),
      migrationsDir: read(`${path}.migrations_dir`),
      migrationsTable: read(`${path}.migrations_table`) ?? "d1_migrations",
    })),
    kvNamespaces: reader.objects("kv_namespaces").map((path) => ({
      binding: need(`${path}.binding`),
      id: read(`${path}.id`),
      previewId: read(`${path}.preview_id`),
    })),
    r2Buckets: reader.objects("r2_buckets").map((path) => ({
      binding: need(`${path}.binding`),
      bucketName: read(`${path}.bucket_name`),
      previewBucketName: read(`${path}.preview_bucket_name`),
    })),
    queues: {
      producers: reader.objects("queues.producers").map((path) => ({
        binding: need(`${path}.binding`),
        queue: need(`${path}.queue`),
      })),
      consumers: reader.objects("queues.consumers").map((path) => ({
        queue: need(`${path}.queue`),
      })),
    },
    durableObjects: reader.objects("durable_objects.bindings").map((path) => ({
      name: need(`${path}.name`),
      className: need(`${path}.class_name`),
      scriptName: read(`${path}.script_name`),
    })),
  };
}

function readAssets(reader: PlatformReader): Assets | undefined {
  if (reader.object("assets") === undefined) return undefined;
  return {
    directory: reader.string("assets.directory"),
    binding: reader.string("assets.binding"),
  };
}

function parseFile(file: string): JsoncDocument {
  const name = basename(file);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const toml = existsSync(join(dirname(file), "wrangler.toml"));
    throw new CliError(
      toml ? "wrangler.toml is not supported." : `${name}, the platform's file, cannot be read.`,
      {
        exitCode: ExitCode.config,
        hint: toml
          ? "Write its content as wrangler.jsonc, which wrangler reads too."
          : `Run the command in the folder that holds ${name}, or write a new application with \`framework init <dir>\`.`,
        cause: error,
      },
    );
  }
  try {
    return parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    throw new CliError(`${name}:${error.line}:${error.column}: ${error.message}.`, {
      exitCode: ExitCode.config,
      hint: `Correct line ${error.line} of ${name}.`,
      cause: error,
    });
  }
}
