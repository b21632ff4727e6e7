import {
  CliError,
  loadConfig,
  type Platform,
  type ProjectConfig,
  readMigrations,
  readPlatform,
  readPlatformFile,
} from "@framework/cli/project";
import { Buffer } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { TestingError } from "../errors.ts";
import { createDatabaseImage, type DatabaseImage } from "../platform/sqlite.ts";
import { importModule } from "./module.ts";

/** Bindings that a project's files declare, without its application. */
export interface TestProject {
  config: ProjectConfig;
  platform: Platform;
  /** The migrated database of each binding. */
  images: ReadonlyMap<string, DatabaseImage>;
}

// Read once per process, as the application's modules are.
const projects = new Map<string, Promise<TestProject | null>>();

/**
 * Returns the project of a folder, read at the first call; null when the folder has no platform file.
 *
 * @throws {TestingError} `PROJECT` when its files are wrong.
 */
export function testProject(cwd: string): Promise<TestProject | null> {
  const folder = resolve(cwd);
  const known = projects.get(folder);
  if (known !== undefined) return known;
  const loading = loadConfig(folder, undefined, { importModule })
    .then((config) => existsSync(config.platformFile) ? readProject(config) : null)
    .catch(explainProjectError);
  projects.set(folder, loading);
  return loading;
}

/** Reads the project of a configuration. */
export async function readProject(config: ProjectConfig): Promise<TestProject> {
  const platform = await readPlatform(config);
  return { config, platform, images: await readImages(config, platform) };
}

/**
 * Reads the project of any worker. Without a platform file it has no bindings; a database has the folder `migrations`
 * unless the file names another, as for wrangler.
 */
export async function readWorkerProject(
  folder: string,
  environment: string | undefined,
): Promise<TestProject> {
  const config = await loadConfig(folder, undefined, { importModule });
  const toml = join(folder, "wrangler.toml");
  const file = !existsSync(config.platformFile) && existsSync(toml) ? toml : config.platformFile;
  const project = readWorkerFiles({ ...config, platformFile: file }, file, environment);
  return { ...project, images: await readImages(project.config, project.platform) };
}

/** Reads the files of {@linkcode readWorkerProject}, with another platform file than the usual one. */
export function readWorkerFiles(
  config: ProjectConfig,
  file: string,
  environment?: string,
): Pick<TestProject, "config" | "platform"> {
  const platform = existsSync(file)
    ? readPlatformFile(file, { anyWorker: true, ...environment !== undefined && { environment } })
    : withoutBindings(file);
  const databases = platform.d1Databases.map((each) => ({
    ...each,
    migrationsDir: each.migrationsDir ?? "migrations",
  }));
  const named = databases.find(({ binding }) => binding === config.database);
  const own = named ?? (databases.length === 1 ? databases[0] : undefined);
  return {
    config: {
      ...config,
      ...own && {
        database: own.binding,
        migrationsDir: resolve(dirname(file), own.migrationsDir),
      },
    },
    platform: { ...platform, d1Databases: databases },
  };
}

function withoutBindings(file: string): Platform {
  return {
    file,
    name: "worker",
    compatibilityDate: "2026-07-30",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: [],
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [], consumers: [] },
    durableObjects: [],
    vars: {},
    assets: undefined,
    raw: {},
  };
}

/** Rethrows a project error with its hint in the message: a test runner shows the message alone. */
export function explainProjectError(error: unknown): never {
  if (!(error instanceof CliError)) throw error;
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  throw new TestingError("PROJECT", message, { cause: error });
}

async function readImages(
  config: ProjectConfig,
  platform: Platform,
): Promise<Map<string, DatabaseImage>> {
  const images = new Map<string, DatabaseImage>();
  refuseOtherDatabases(config, platform);
  for (const database of platform.d1Databases) {
    const folder = migrationsFolder(config, platform, database);
    images.set(
      database.binding,
      createDatabaseImage(folder ? await readMigrations(folder) : []),
    );
  }
  return images;
}

/** Refuses D1 beside PostgreSQL, as a build does: its migrations would run on SQLite. */
function refuseOtherDatabases(
  { dialect }: ProjectConfig,
  { file, d1Databases }: Platform,
): void {
  if (dialect !== "postgres" || d1Databases.length === 0) return;
  const names = d1Databases.map(({ binding }) => binding).join(", ");
  throw new TestingError(
    "PROJECT",
    `${basename(file)} declares D1 databases (${names}), but the project's is PostgreSQL. ` +
      `Remove "d1_databases", or the dialect from "database" of framework.config.ts.`,
  );
}

/** Migrations folder of a database; undefined when nothing names it. */
export function migrationsFolder(
  config: ProjectConfig,
  platform: Platform,
  { binding, migrationsDir }: Platform["d1Databases"][number],
): string | undefined {
  if (binding === config.database) return config.migrationsDir;
  return migrationsDir && resolve(dirname(platform.file), migrationsDir);
}

// As the library's option `secret`.
const MIN_SECRET_BYTES = 32;

/**
 * Returns the variables of `.dev.vars`, and the {@linkcode exampleSecrets}: in CI, which has no secrets, a test has what is
 * committed there.
 */
export function readSecrets(
  root: string,
  platform: Pick<Platform, "vars">,
): Record<string, string> {
  return { ...exampleSecrets(root, platform), ...readVariables(root, ".dev.vars") };
}

/**
 * Returns the variables to which `.dev.vars.example` gives a value, without those that other files or `vars` of the platform
 * file name, and without a placeholder for `AUTH_SECRET` that is too short for a secret: the library refuses it, and goes
 * without one where it can.
 *
 * @param root Folder of the files.
 * @param platform The platform file.
 * @param files Names of the other files. Default: `.dev.vars`.
 */
export function exampleSecrets(
  root: string,
  { vars }: Pick<Platform, "vars">,
  files: readonly string[] = [".dev.vars"],
): Record<string, string> {
  const named = Object.assign({}, vars, ...files.map((name) => readVariables(root, name)));
  const example = Object.entries(readVariables(root, ".dev.vars.example"));
  return Object.fromEntries(
    example.filter(([name, value]) =>
      value !== "" && !Object.hasOwn(named, name) &&
      !(name === "AUTH_SECRET" && Buffer.byteLength(value) < MIN_SECRET_BYTES)
    ),
  );
}

function readVariables(root: string, name: string): Record<string, string> {
  try {
    return { ...parseEnv(readFileSync(join(root, name), "utf8")) } as Record<string, string>;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return {};
    throw error;
  }
}
