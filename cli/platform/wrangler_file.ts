import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { type JsoncDocument, JsoncError, type JsonValue, parseJsonc } from "../tools/jsonc.ts";
import { environmentSection, isSection } from "./environment_section.ts";
import { createPlatformReader, type PlatformReader } from "./wrangler_reader.ts";
import { readToml } from "./wrangler_toml.ts";

/** A D1 database of the platform file. */
export interface D1Database {
  /** Name in `env`, such as `DB`. */
  binding: string;
  /** Name of the database on wrangler's command line; undefined when the file has only the binding. */
  databaseName: string | undefined;
  /** Id on the platform, for deployed workers; undefined until the database has been created there. */
  databaseId: string | undefined;
  /** Id of the local database, in preference to `databaseId`; undefined when the file names none. */
  previewDatabaseId: string | undefined;
  /** Path as written, relative to the platform file. */
  migrationsDir: string | undefined;
  /** Table in which wrangler records migrations. Default: `d1_migrations`. */
  migrationsTable: string;
}

/** A KV namespace of the platform file. */
export interface KvNamespace {
  /** Name in `env`, such as `CACHE`. */
  binding: string;
  /** Id on the platform, for deployed workers; undefined until the namespace has been created there. */
  id: string | undefined;
  /** Id of the local namespace, in preference to `id`; undefined when the file names none. */
  previewId: string | undefined;
}

/** An R2 bucket of the platform file. */
export interface R2Bucket {
  /** Name in `env`, such as `FILES`. */
  binding: string;
  /** Name on the platform, for deployed workers; undefined when the file names none. */
  bucketName: string | undefined;
  /** Name of the local bucket, in preference to `bucketName`; undefined when there is none. */
  previewBucketName: string | undefined;
}

/** Queues of the platform file. */
export interface Queues {
  /** Bindings for sending, each with the queue's name. */
  producers: { binding: string; queue: string }[];
  /** Names of the queues whose messages the worker receives. */
  consumers: { queue: string }[];
}

/** A Durable Object binding of the platform file. */
export interface DurableObjectBinding {
  /** Name in `env`, such as `COUNTER`. */
  name: string;
  /** Name of the class, which the worker exports unless `scriptName` is set. */
  className: string;
  /** Name of the other worker that contains the class; undefined for this worker. */
  scriptName: string | undefined;
}

/** Static files' entry of the platform file. */
export interface Assets {
  /** Path as written, relative to the platform file. Undefined when the build decides. */
  directory: string | undefined;
  /** Name in `env`; undefined when only the platform serves the files. */
  binding: string | undefined;
}

/** The platform file, checked where the commands rely on it. */
export interface Platform {
  /** Absolute path of the file. */
  file: string;
  /** Name of the worker on the platform: lower-case letters, digits and dashes, at most 63. */
  name: string;
  /** Date that selects the platform's behaviour: `compatibility_date`, such as `2026-07-01`. */
  compatibilityDate: string;
  /** Compatibility flags; `nodejs_compat` is among them, except with `anyWorker`. */
  compatibilityFlags: string[];
  /** The SQL databases: `d1_databases`. */
  d1Databases: D1Database[];
  /** The key-value namespaces: `kv_namespaces`. */
  kvNamespaces: KvNamespace[];
  /** The object stores: `r2_buckets`. */
  r2Buckets: R2Bucket[];
  /** Producers and consumers of the worker: `queues`. */
  queues: Queues;
  /** The durable objects: `durable_objects.bindings`. */
  durableObjects: DurableObjectBinding[];
  /** Plain variables, as written. */
  vars: Record<string, JsonValue>;
  /** The static files: `assets`; undefined when the file has no such entry. */
  assets: Assets | undefined;
  /** The whole file as written. */
  raw: Record<string, JsonValue>;
}

/** Compatibility date of a worker that names none: other tools take the newest that their workerd has. */
const NEWEST_DATE = "2026-07-30";

/** Options for {@linkcode readPlatformFile}. */
export interface PlatformFileOptions {
  /**
   * Also accepts what other tools than this command line run: a worker without `nodejs_compat`, without a name or without a
   * compatibility date, which is then `2026-07-30`, and `wrangler.toml`, which the project's wrangler reads. Default: false.
   */
  anyWorker?: boolean;
  /** Name of the environment, below `env`, whose settings are read. Default: those of the top level. */
  environment?: string;
}

/**
 * Reads and checks the platform file (`wrangler.json` or `wrangler.jsonc`).
 *
 * @param config The project's configuration, or any object that names root and file.
 * @throws {CliError} Exit code 2 with file, line, what is expected and what was found. Values are not
 * printed: the file may hold secrets.
 *
 * @example
 * ```ts
 * import { readPlatform } from "@framework/cli/project";
 * import { deepEqual } from "node:assert/strict";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const root = await mkdtemp(join(tmpdir(), "project-"));
 * const platformFile = join(root, "wrangler.jsonc");
 * await writeFile(
 *   platformFile,
 *   `{
 *     "name": "app", // comments and trailing commas are read over
 *     "compatibility_date": "2026-07-01",
 *     "compatibility_flags": ["nodejs_compat"],
 *     "kv_namespaces": [{ "binding": "CACHE" }],
 *   }`,
 * );
 * const { kvNamespaces } = await readPlatform({ root, platformFile });
 * deepEqual(kvNamespaces.map(({ binding }) => binding), ["CACHE"]);
 * await rm(root, { recursive: true });
 * ```
 */
// deno-lint-ignore require-await -- a promise by contract: reading may become asynchronous.
export async function readPlatform(
  config: Pick<ProjectConfig, "root" | "platformFile">,
): Promise<Platform> {
  return readPlatformFile(config.platformFile);
}

/**
 * Refuses a folder that holds no application, such as a folder inside of one.
 *
 * @param config Places of the application folder and the platform's file.
 * @throws {CliError} Exit code 2 when the folder has neither.
 */
export function demandApplication(
  { appDir, platformFile }: Pick<ProjectConfig, "appDir" | "platformFile">,
): void {
  if (!existsSync(appDir) && !existsSync(platformFile)) readPlatformFile(platformFile);
}

/**
 * Reads the platform file synchronously.
 *
 * @param file Absolute path of the platform's file.
 * @param options Which workers are accepted.
 * @throws {CliError} As `readPlatform`.
 *
 * @example
 * ```ts
 * import { CliError, readPlatformFile } from "@framework/cli/project";
 * import { throws } from "node:assert/strict";
 *
 * throws(() => readPlatformFile("/no/such/wrangler.jsonc"), CliError);
 * ```
 */
export function readPlatformFile(file: string, options: PlatformFileOptions = {}): Platform {
  const { anyWorker = false, environment } = options;
  const whole = anyWorker && file.endsWith(".toml") ? readToml(file) : parseFile(file);
  const document = environment === undefined ? whole : ofEnvironment(whole, file, environment);
  const reader = createPlatformReader(basename(file), document);
  const flags = reader.strings("compatibility_flags") ?? [];
  if (!anyWorker && !flags.includes("nodejs_compat")) {
    throw reader.fail("compatibility_flags", '"nodejs_compat" is missing', {
      hint: `Add the line "compatibility_flags": ${
        JSON.stringify([...flags, "nodejs_compat"])
      }, to ${basename(file)}.`,
    });
  }
  return {
    file,
    name: anyWorker && reader.string("name") === undefined
      ? "worker"
      : reader.requiredString("name", {
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
        expected: "at most 63 lower-case letters, digits and dashes",
      }),
    compatibilityDate: anyWorker && reader.string("compatibility_date") === undefined
      ? NEWEST_DATE
      : reader.requiredString("compatibility_date", {
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

/** Returns a document with the settings of an environment at its top level. */
function ofEnvironment(whole: JsoncDocument, file: string, name: string): JsoncDocument {
  const top = isSection(whole.value) ? whole.value : {};
  const section = environmentSection(top, name);
  if (section === undefined) {
    const names = isSection(top["env"]) ? Object.keys(top["env"]) : [];
    throw new CliError(`${basename(file)} has no environment ${JSON.stringify(name)}.`, {
      exitCode: ExitCode.config,
      hint: names.length === 0 ? "Add it under `env`." : `It has: ${names.join(", ")}.`,
    });
  }
  const own = (top["env"] as Record<string, JsonValue>)[name] as Record<string, JsonValue>;
  const placeOf = (path: string): string =>
    Object.hasOwn(own, path.split(/[.[]/)[0]!) ? `env.${name}.${path}` : path;
  // The platform's own name for the worker of an environment.
  const names = own["name"] === undefined && typeof top["name"] === "string"
    ? { name: `${top["name"]}-${name}` }
    : {};
  return {
    value: { ...section, ...names },
    lineOf: (path) => whole.lineOf(placeOf(path)),
    rangeOf: (path) => whole.rangeOf(placeOf(path)),
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
          ? "Convert it to wrangler.jsonc, which wrangler reads too."
          : `Run the command in the folder that contains ${name}, or create a new application with \`framework init <dir>\`.`,
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
