import type { Platform } from "@framework/cli/project";
import { TestingError } from "../errors.ts";
import type { D1Database } from "../platform/d1.ts";

/** Name of the binding that describes the project. */
export const POOL_BINDING = "FRAMEWORK_TEST_POOL";

/** Contents of that binding. */
export interface PoolSettings {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the worker's module; undefined when nothing names it. */
  main?: string;
  /** True for an application with `app/`, whose worker was built. */
  isApplication: boolean;
  /** Platform file of the pool's options; without bindings where they name none. */
  platform: Platform;
  /** Name of the database binding behind `context.db`. */
  database: string;
  /** The statements of the migrations, by the binding of their database. */
  migrations: Record<string, string[]>;
}

/** The module that only tests in the pool have. */
interface PoolModule {
  env: Record<string, unknown>;
  /** Empties every binding; older pools undo what a test did by themselves. */
  reset?(): Promise<void>;
}

/** The worker pool, as a test in it sees it. */
export interface WorkerPool {
  bindings: Record<string, unknown>;
  settings: PoolSettings;
  /** Empties every binding; older pools undo what a test did by themselves. */
  reset: (() => Promise<void>) | undefined;
}

let open = false;

/** Returns true when a test context has the pool's bindings. */
export function isContextOpen(): boolean {
  return open;
}

/** Notes that a test context has the pool's bindings, or has them no more. */
export function markContext(isOpen: boolean): void {
  open = isOpen;
}

/** Returns true for code that runs in workerd, in the worker pool or in any other worker. */
export function isInWorker(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}

/**
 * Returns the worker pool that this code runs in.
 *
 * @throws {TestingError} `IN_WORKER` in any other worker; `POOL` when its configuration built no application.
 */
export async function readPool(): Promise<WorkerPool> {
  const { env, reset } = await poolModule();
  const { [POOL_BINDING]: settings, ...bindings } = env;
  if (settings === undefined) throw notConfigured();
  return { bindings, settings: settings as PoolSettings, reset };
}

async function poolModule(): Promise<PoolModule> {
  // Not a literal, so that no bundler tries to resolve a module that only the pool has.
  const name = ["cloudflare", "test"].join(":");
  try {
    return await import(/* @vite-ignore */ name);
  } catch (cause) {
    throw new TestingError(
      "IN_WORKER",
      "createTestContext() was called in a worker, which has no project files. Call it in " +
        "tests that run on Deno, on Node or in vitest's worker pool, and import @framework/testing from " +
        "test files only.",
      { cause },
    );
  }
}

/** Drops every table and view of a database and runs the migrations again. */
export async function migratePoolDatabase(
  binding: string,
  { bindings, settings }: Pick<WorkerPool, "bindings" | "settings">,
): Promise<D1Database> {
  const database = bindings[binding] as D1Database;
  const statements = settings.migrations[binding] ?? [];
  const { results } = await database.prepare(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') " +
      "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' " +
      // The newest first: SQLite drops no table whose own rows hang on one that is gone already.
      "ORDER BY rowid DESC",
  ).all<{ type: string; name: string }>();
  const drops = results.map(({ type, name }) =>
    `DROP ${type} IF EXISTS "${name.replaceAll('"', '""')}"`
  );
  const all = ["PRAGMA defer_foreign_keys = on", ...drops, ...statements];
  await database.batch(all.map((sql) => database.prepare(sql)));
  return database;
}

/** Error for a missing application. */
export function notConfigured(): TestingError {
  return new TestingError(
    "POOL",
    "Databases and createTestContext() work in the worker pool only with the configuration of defineTestConfig() of " +
      "@framework/testing/vitest. Export defineTestConfig({ test: { poolOptions: { workers: … } } }) " +
      "from vitest's configuration; for an application with app/, without a `main` of its own, because it builds one.",
  );
}
