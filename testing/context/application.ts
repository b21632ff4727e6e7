import {
  CliError,
  loadConfig,
  loadManifest,
  type Platform,
  type ProjectConfig,
  readMigrations,
  readPlatform,
  scanApp,
} from "@framework/cli/project";
import {
  type Application,
  type ApplicationOptions,
  createApplication,
} from "@framework/cli/runtime";
import { dirname, resolve } from "node:path";
import { createDatabaseImage, type DatabaseImage } from "../bindings/sqlite.ts";
import { TestingError } from "../errors.ts";
import { importModule } from "./import_module.ts";
import { noteFailure, scopedNow } from "./scope.ts";
import { readSecrets } from "./secrets.ts";

/** The application of a folder, with what each context copies. */
export interface TestApplication {
  config: ProjectConfig;
  platform: Platform;
  application: Application;
  secrets: Record<string, string>;
  /** The migrated database of each binding. */
  images: ReadonlyMap<string, DatabaseImage>;
}

// Modules are imported once per process, so there is one application per folder too. Nothing of a
// test is kept in it: databases, cookies and time belong to the contexts.
const applications = new Map<string, Promise<TestApplication>>();

/** The application of a folder, loaded at the first call. */
export function testApplication(cwd: string): Promise<TestApplication> {
  const folder = resolve(cwd);
  const known = applications.get(folder);
  if (known !== undefined) return known;
  const loading = load(folder).catch(explain);
  applications.set(folder, loading);
  return loading;
}

/** The command shows the hint of its errors below the message; a test runner shows the message alone. */
function explain(error: unknown): never {
  if (!(error instanceof CliError)) throw error;
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  throw new TestingError("PROJECT", message, { cause: error });
}

async function load(folder: string): Promise<TestApplication> {
  const config = await loadConfig(folder);
  const [platform, scan, secrets] = await Promise.all([
    readPlatform(config),
    scanApp(config.appDir),
    readSecrets(config.root),
  ]);
  const [manifest, images] = await Promise.all([
    loadManifest(scan, { database: config.database, importModule }),
    readImages(config, platform),
  ]);
  const application = createApplication(manifest, { now: scopedNow, onError: noteFailure, logger });
  return { config, platform, application, secrets, images };
}

// Sign-ins and refusals are what tests are made of; only what fails behind their backs is worth a line.
const logger: NonNullable<ApplicationOptions["logger"]> = {
  info: () => {},
  warn: () => {},
  // deno-lint-ignore no-console -- the author of the test should see it.
  error: (event, fields) => console.error(event, fields),
};

async function readImages(
  config: ProjectConfig,
  platform: Platform,
): Promise<Map<string, DatabaseImage>> {
  const images = new Map<string, DatabaseImage>();
  for (const { binding, migrationsDir } of platform.d1Databases) {
    const folder = binding === config.database
      ? config.migrationsDir
      : migrationsDir && resolve(dirname(platform.file), migrationsDir);
    images.set(binding, createDatabaseImage(folder ? await readMigrations(folder) : []));
  }
  return images;
}
