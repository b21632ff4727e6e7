import { findPlatformFile, type Platform, readPlatformFile } from "@framework/cli/project";
import { existsSync } from "node:fs";
import process from "node:process";
import { dirname, resolve } from "node:path";
import { createD1Database, type D1Database } from "../bindings/d1.ts";
import { createDeferredD1 } from "../bindings/d1_deferred.ts";
import { otherBindings, sharedQueues } from "../bindings/environment.ts";
import { givenBindings } from "../bindings/given.ts";
import { createKvNamespace } from "../bindings/kv.ts";
import { createR2Bucket } from "../bindings/r2.ts";
import { createDatabaseImage } from "../bindings/sqlite.ts";
import { isContextOpen, isInWorker, migratePoolDatabase, readPool } from "../context/pool.ts";
import { explainProjectError, testProject } from "../context/project.ts";
import { readSecrets } from "../context/secrets.ts";
import { TestingError } from "../errors.ts";
import { createAutoMock } from "./auto_mock.ts";
import { spied } from "./spied.ts";

/**
 * The bindings and variables that the platform file of a folder names: databases with the
 * migrations applied, namespaces, buckets and queues that work, and mock functions for everything else. Empty in a folder
 * without such a file.
 *
 * @param cwd The project's folder. Default: the current one.
 */
export function projectEnv(cwd: string = process.cwd()): Record<string, unknown> {
  const platform = platformOf(cwd);
  if (platform === null) return { ...givenBindings() };
  const env: Record<string, unknown> = {
    ...structuredClone(platform.vars),
    ...readSecrets(dirname(platform.file)),
  };
  for (const { binding } of otherBindings(platform.raw)) {
    env[binding] = createAutoMock(`env.${binding}`);
  }
  for (const { binding } of platform.d1Databases) {
    const database = createDeferredD1(() => openDatabase(cwd, binding));
    env[binding] = spied(database, `env.${binding}`);
  }
  for (const { binding } of platform.kvNamespaces) {
    env[binding] = spied(createKvNamespace({ now }), `env.${binding}`);
  }
  for (const { binding } of platform.r2Buckets) {
    env[binding] = spied(createR2Bucket({ now, binding }), `env.${binding}`);
  }
  for (const { binding, queue } of sharedQueues(platform, { now })) {
    env[binding] = spied({ ...queue }, `env.${binding}`);
  }
  return Object.assign(env, givenBindings());
}

/**
 * The database that `context.db` is for an `env`: its binding of the configured name, else the
 * project's own with the migrations applied, else, in a folder without a project, an empty one.
 */
export function projectDatabase(env: object, cwd: string = process.cwd()): D1Database {
  return createDeferredD1(async () => {
    if (isInWorker()) return await poolDatabase(env);
    const project = await testProject(cwd);
    const name = project?.config.database ?? "DB";
    const bound: unknown = Reflect.get(env, name);
    if (isDatabase(bound)) return bound;
    if (project !== null) return await openDatabase(cwd, name);
    return createD1Database(createDatabaseImage([]).open());
  });
}

/** In the worker pool there is one of each name: it is migrated anew, unless a test context has it. */
async function poolDatabase(env: object): Promise<D1Database> {
  const pool = await readPool();
  const name = pool.settings.database;
  const bound: unknown = Reflect.get(env, name);
  if (isDatabase(bound)) return bound;
  if (!isContextOpen()) return await migratePoolDatabase(name, pool);
  return pool.bindings[name] as D1Database;
}

// Read at each use, so that a runner's fake timers reach it.
function now(): number {
  return Date.now();
}

function platformOf(cwd: string): Platform | null {
  const file = findPlatformFile(resolve(cwd));
  if (!existsSync(file)) return null;
  try {
    return readPlatformFile(file);
  } catch (error) {
    return explainProjectError(error);
  }
}

async function openDatabase(cwd: string, binding: string): Promise<D1Database> {
  const image = (await testProject(cwd))?.images.get(binding);
  if (image !== undefined) return createD1Database(image.open());
  throw new TestingError(
    "NO_DATABASE",
    `context.db needs the database binding "${binding}", and the platform file has none. Add it ` +
      "to d1_databases, name another in framework.config.ts (database), or pass one as " +
      `env: { ${binding}: … }.`,
  );
}

/** Mock functions that were made on first use have a `prepare` too, and are no database. */
function isDatabase(binding: unknown): binding is D1Database {
  return typeof binding === "object" && binding !== null && "prepare" in binding;
}
