import { findPlatformFile, type Platform, readPlatformFile } from "@framework/cli/project";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { isContextOpen, isInWorker, migratePoolDatabase, readPool } from "../context/pool.ts";
import { explainProjectError, readSecrets, testProject } from "../context/project.ts";
import { beginAtCallers, TestingError } from "../errors.ts";
import { createD1Database, createDeferredD1, type D1Database } from "../platform/d1.ts";
import { otherBindings, sharedQueues } from "../platform/environment.ts";
import { givenBindings } from "../platform/given_bindings.ts";
import { createKvNamespace } from "../platform/kv.ts";
import { createR2Bucket } from "../platform/r2.ts";
import { createDatabaseImage } from "../platform/sqlite.ts";
import { createAutoMock, isProbe, type Mocked, spied } from "./mock_function.ts";

/**
 * Creates the bindings and variables that a folder's platform file declares: databases with the
 * migrations applied, working namespaces, buckets and queues, and mock functions for everything
 * else. Empty in a folder without such a file.
 *
 * @param cwd The project's folder. Default: the current one.
 */
export function projectEnv(cwd: string = process.cwd()): Record<string, unknown> {
  const platform = platformOf(cwd);
  if (platform === null) return { ...givenBindings() };
  const env: Record<string, unknown> = {
    ...structuredClone(platform.vars),
    ...readSecrets(dirname(platform.file), platform),
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
 * Returns the database behind `context.db` for an `env`: its binding of the configured name,
 * otherwise the project's own with the migrations applied, or an empty one in a folder without a
 * project.
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

/** Returns the worker pool's database. It is recreated and migrated, unless a test context is using it. */
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
    `context.db needs the database binding "${binding}", but the platform file has none. Add it ` +
      "to d1_databases, name another in framework.config.ts (database), or pass one as " +
      `env: { ${binding}: … }.`,
  );
}

/** Returns true for a database. An automatic mock has a `prepare` too and is not one. */
function isDatabase(binding: unknown): binding is D1Database {
  return typeof binding === "object" && binding !== null && "prepare" in binding;
}

/** Options for `createMockEnv()`. */
export interface MockEnvOptions<Env> {
  /** Bindings and variables that override all others; used as they are. Default: none. */
  env?: Partial<NoInfer<Env>>;
  /**
   * Throws for a name that neither the platform file nor `env` has. Default: false.
   */
  strict?: boolean;
  /** The project's folder. Default: the current one. */
  cwd?: string;
}

/** The environment that `createMockEnv` makes: every method of every binding is a mock function. */
// deno-lint-ignore no-explicit-any -- without a type, a binding of any name is there.
export type MockEnv<Env> = 0 extends 1 & Env ? any : { [K in keyof Env]: Mocked<Env[K]> };

// Environments that are used as they are, because their bindings appear on first use.
const mockEnvs = new WeakSet<object>();

/** Returns true for an environment that `createMockEnv` made. */
export function isMockEnv(env: object): boolean {
  return mockEnvs.has(env);
}

/**
 * Creates an environment for a handler that is called directly.
 *
 * Bindings of the platform file work: databases with the migrations applied, namespaces, buckets,
 * queues and variables. Their methods are also mock functions. A binding of any other name appears
 * on first use, as a mock function whose properties are mock functions too.
 *
 * Names are read from `wrangler.json` or `wrangler.jsonc` in the project's folder.
 *
 * @param options See {@linkcode MockEnvOptions}.
 * @throws {TestingError} `PROJECT` when the platform file is wrong; in strict mode `UNKNOWN_BINDING`
 * when an unknown name is used.
 * @example
 * ```ts
 * import { createMockEnv } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * interface Env {
 *   MAILER: { send(mail: { to: string }): Promise<{ id: string }> };
 * }
 *
 * const env = createMockEnv<Env>();
 * env.MAILER.send.mockResolvedValue({ id: "1" });
 * assert.deepEqual(await env.MAILER.send({ to: "ada@example.com" }), { id: "1" });
 * assert.deepEqual(env.MAILER.send.mock.calls, [[{ to: "ada@example.com" }]]);
 * ```
 */
// deno-lint-ignore no-explicit-any -- without a type, a binding of any name is there.
export function createMockEnv<Env = any>(options: MockEnvOptions<Env> = {}): MockEnv<Env> {
  const bindings: Record<string, unknown> = { ...projectEnv(options.cwd), ...options.env };
  const env = new Proxy(bindings, {
    get(target, property) {
      if (isProbe(property) || property in target) return Reflect.get(target, property);
      const name = String(property);
      if (options.strict === true) throw unknownBinding(name, Object.keys(target));
      return target[name] = createAutoMock(`env.${name}`);
    },
  });
  mockEnvs.add(env);
  return env as MockEnv<Env>;
}

function unknownBinding(name: string, known: string[]): TestingError {
  const list = known.length === 0 ? "none" : known.toSorted().join(", ");
  return new TestingError(
    "UNKNOWN_BINDING",
    `env.${name} was used, but neither the platform file nor the test declares it. Declared ` +
      `are: ${list}. Correct the name, declare the binding, or pass createMockEnv({ env: { ${name}: … } }).`,
  );
}

beginAtCallers(createMockEnv);
