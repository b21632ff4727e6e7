import { TestingError } from "../errors.ts";
import { createBackground } from "./background.ts";
import { createMessage } from "./email_delivery.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import { createEntrypoints } from "./entrypoints.ts";
import {
  answerAsPlatform,
  createEventContext,
  type EventContext,
  type EventName,
  requireHandler,
} from "./handlers.ts";
import {
  isContextOpen,
  markContext,
  migratePoolDatabase,
  readPool,
  type WorkerPool,
} from "./pool.ts";
import {
  type GivenApplication,
  importPlatform,
  loadPoolApplication,
  type PlatformModule,
  type PoolApplication,
  setAdoption,
} from "./pool_application.ts";
import { createDeliveries, handleBatch } from "./queue_delivery.ts";
import { createController } from "./scheduled.ts";
import { currentScope, realNow, runInScope } from "./scope.ts";
import { installScopedDate } from "./scoped_date.ts";

/**
 * Runs the application in the isolate of the worker pool, over the pool's bindings, which are emptied and migrated.
 *
 * @throws {TestingError} `IN_WORKER` outside of the pool, `POOL` when its configuration names no worker or a
 * context is open already.
 */
export async function openPoolEngine(
  { scope: parts, overrides, guard, given }: {
    scope: ScopeParts;
    overrides: Record<string, unknown>;
    guard(): void;
    given: GivenApplication;
  },
): Promise<Engine> {
  // Before the worker is loaded: its modules may keep it.
  installScopedDate(() => currentScope()?.now());
  const pool = await readPool();
  const { bindings, settings: { database, platform }, reset } = pool;
  if (isContextOpen()) throw alreadyOpen();
  markContext(true);
  const runtime = await importPlatform();
  const { worker, auth, isForeign, owner, entrypoint: find } = await prepare(pool, given, runtime)
    .catch((error) => {
      markContext(false);
      throw error;
    });
  const env = guarded({ ...bindings, ...overrides }, guard);
  const background = createBackground();
  const late: unknown[] = [];

  /** Runs work for which what the test passes as `env` is also that of "cloudflare:workers". */
  function withEnv<T>(work: () => T): T {
    return runtime.withEnv === undefined ? work() : runtime.withEnv(env, work);
  }

  setAdoption((work) =>
    currentScope() === undefined
      // By the real time, as its alarms are.
      ? runInScope({ ...parts, now: realNow, env, failures: late }, () => withEnv(work))
      : work()
  );

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const scope = { ...parts, env, failures: [] as unknown[] };
    const result = await runInScope(scope, () => withEnv(work));
    if (scope.failures.length > 0) throw scope.failures[0];
    scope.failures = late;
    return result;
  }

  const entrypoints = createEntrypoints({
    find,
    objects(name) {
      const bound = platform.durableObjects.find(({ className }) => className === name);
      if (bound !== undefined) return env[bound.name];
      const isObject = find(name) !== undefined &&
        (find(name) as { prototype?: unknown }).prototype instanceof runtime.DurableObject;
      return isObject ? runtime.exports?.[name] : undefined;
    },
    owner,
    env,
    waitUntil: background.add,
    guard,
    run,
  });

  function createContext(): EventContext {
    return createEventContext({ waitUntil: background.add, exports: entrypoints.exports });
  }

  /** Runs a handler of the worker. */
  async function handle<T>(name: EventName, event: unknown, ctx = createContext()): Promise<T> {
    const handler = requireHandler(worker, name, { owner, isForeign });
    return await run(async () => await handler(event as never, env, ctx) as T);
  }

  async function fetch(request: Request): Promise<Response> {
    if (!isForeign) return await handle("fetch", request);
    const ctx = createContext();
    return await answerAsPlatform(request, {
      ctx,
      handle: (request) => handle("fetch", request, ctx),
      origin: (copy) => run(() => currentScope()!.call(copy)),
    });
  }

  const deliveries = createDeliveries({
    platform,
    waiting: new Map(),
    isPlatforms: true,
    now: parts.now,
    handle: (queue, messages) =>
      handleBatch(queue, messages, (batch) => handle<void>("queue", batch)),
  });

  return {
    env,
    auth,
    database,
    run,
    fetch,
    queue: deliveries.deliver,
    async scheduled(event) {
      const { controller, result } = createController(event, platform, parts.now());
      await handle<void>("scheduled", controller);
      return result;
    },
    async email(email) {
      const { message, delivery } = createMessage(email);
      await handle<void>("email", message);
      return delivery;
    },
    entrypoint: entrypoints.stub,
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
        setAdoption();
        markContext(false);
      }
    },
  };
}

/** Loads the application and recreates its databases. */
async function prepare(
  pool: WorkerPool,
  given: GivenApplication,
  runtime: PlatformModule,
): Promise<PoolApplication> {
  const application = await loadPoolApplication(pool.settings, given, runtime);
  for (const binding of Object.keys(pool.settings.migrations)) {
    await migratePoolDatabase(binding, pool);
  }
  return application;
}

function guarded(env: Record<string, unknown>, guard: () => void): Record<string, unknown> {
  return new Proxy(env, {
    get(target, name, receiver) {
      guard();
      return Reflect.get(target, name, receiver);
    },
  });
}

function alreadyOpen(): TestingError {
  return new TestingError(
    "POOL",
    "A test context is already open, and all contexts of the worker pool share the same bindings. Clean up the " +
      "open one first, with `await using` or in afterEach, and do not run such tests concurrently.",
  );
}
