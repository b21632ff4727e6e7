import { TestingError } from "../errors.ts";
import { createBackground } from "./background.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import {
  isContextOpen,
  markContext,
  migratePoolDatabase,
  notConfigured,
  type PoolSettings,
  readPool,
  type WorkerPool,
} from "./pool.ts";
import { type Pool, POOL_KEY } from "./pool_hooks.ts";
import { noteFailure, runInScope, scopedDeliver, scopedNow } from "./scope.ts";

/**
 * Runs the application in the isolate of the worker pool, over the pool's bindings, which are emptied and migrated.
 *
 * @throws {TestingError} `IN_WORKER` outside of the pool, `POOL` when its configuration built no application or a
 * context is open already.
 */
export async function openPoolEngine(
  { scope: parts, overrides, guard }: {
    scope: ScopeParts;
    overrides: Record<string, unknown>;
    guard(): void;
  },
): Promise<Engine> {
  const pool = await readPool();
  const { bindings, settings, reset } = pool;
  if (isContextOpen()) throw alreadyOpen();
  markContext(true);
  const application = await prepare(pool).catch((error) => {
    markContext(false);
    throw error;
  });
  const env = guarded({ ...bindings, ...overrides }, guard);
  const background = createBackground();
  const late: unknown[] = [];

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const scope = { ...parts, env, failures: [] as unknown[] };
    const result = await runInScope(scope, work);
    if (scope.failures.length > 0) throw scope.failures[0];
    scope.failures = late;
    return result;
  }

  return {
    env,
    auth: application.auth,
    database: settings.database,
    run,
    fetch: (request) =>
      run(() => application.worker.fetch(request, env, { waitUntil: background.add })),
    queue: notInPool("queue"),
    scheduled: notInPool("scheduled"),
    email: notInPool("email"),
    entrypoint: notInPool("entrypoint"),
    // Alarms run by the real time there.
    wake: () => Promise.resolve(),
    async settle() {
      await background.settle();
      if (late.length > 0) throw late.shift();
    },
    async close() {
      try {
        await reset?.();
      } finally {
        markContext(false);
      }
    },
  };
}

/** Loads the application and recreates its databases. */
async function prepare(pool: WorkerPool): Promise<NonNullable<Pool["application"]>> {
  const application = await poolApplication(pool.settings);
  for (const binding of Object.keys(pool.settings.migrations)) {
    await migratePoolDatabase(binding, pool);
  }
  return application;
}

async function poolApplication(
  { main }: PoolSettings,
): Promise<NonNullable<Pool["application"]>> {
  const shared = globalThis as Record<symbol, Pool | undefined>;
  const pool: Pool = shared[Symbol.for(POOL_KEY)] ??= {};
  pool.options = { now: scopedNow, deliver: scopedDeliver, onError: noteFailure };
  if (pool.application === undefined) await import(/* @vite-ignore */ main);
  if (pool.application === undefined) throw notConfigured();
  return pool.application;
}

function guarded(env: Record<string, unknown>, guard: () => void): Record<string, unknown> {
  return new Proxy(env, {
    get(target, name, receiver) {
      guard();
      return Reflect.get(target, name, receiver);
    },
  });
}

function notInPool(member: string): () => never {
  return () => {
    throw new TestingError(
      "POOL",
      `ctx.${member}() cannot be used in the worker pool, which has the platform's own ways: call the worker that ` +
        '`exports` of "cloudflare:workers" has, or run the test outside of the pool.',
    );
  };
}

function alreadyOpen(): TestingError {
  return new TestingError(
    "POOL",
    "A test context is already open, and all contexts of the worker pool share the same bindings. Clean up the " +
      "open one first, with `await using` or in afterEach, and do not run such tests concurrently.",
  );
}
