import { TestingError } from "../errors.ts";
import { type ExchangeHandler, replaceBindings } from "../faults/exchanges.ts";
import { createFaults, type Faulty } from "../faults/faults.ts";
import { createEnvironment, type Environment } from "../platform/environment.ts";
import { createIncomingEmail } from "../platform/incoming_email.ts";
import type { SentEmail } from "../platform/send_email.ts";
import { copyStored, readStored, type Stored } from "../platform/stored.ts";
import { checkSocket } from "../platform/web_socket.ts";
import { describeThrown, type Trace } from "../trace/trace.ts";
import type { TestApplication } from "./application.ts";
import { createBackground } from "./background.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import { createEntrypoints } from "./entrypoints.ts";
import {
  answerAsPlatform,
  createEventContext,
  type EventContext,
  type EventName,
  requireHandler,
} from "./handlers.ts";
import { createDeliveries, handleBatch } from "./queue_delivery.ts";
import { createController } from "./scheduled.ts";
import { currentScope, runInScope, type Scope } from "./scope.ts";

/** Parts of the engine. */
export interface ProcessEngineOptions {
  /** Bindings and variables that the test passes. */
  overrides: Record<string, unknown>;
  /** Parts that belong to the context. */
  scope: ScopeParts;
  /** Called before each use of a binding; throws when the context has ended. */
  guard(): void;
  /** Data to begin with. Default: migrated databases, and nothing else. */
  stored?: Stored;
  /** Stores besides the doubles that ask the current scope for faults themselves. Default: nothing. */
  stores?: readonly Faulty[];
}

function traceSentEmail(trace: Trace | undefined, { to, subject, text, html }: SentEmail): void {
  trace?.add({ kind: "mail", title: `"${subject}" to ${to.join(", ")}`, detail: text || html });
}

/** Notes each exchange with a binding. */
function traced(trace: Trace, handle: ExchangeHandler): ExchangeHandler {
  return (exchange, double) => {
    const { binding, operation, detail, isCall } = exchange;
    const entry = { kind: "storage", title: `${binding}.${operation}()`, detail } as const;
    if (!isCall) {
      return trace.time(() => handle(exchange, double), (outcome) => {
        if (!("error" in outcome)) return entry;
        return { ...entry, detail: () => `${detail()}\n${describeThrown(outcome.error)}` };
      });
    }
    trace.add(entry);
    return handle(exchange, double);
  };
}

/** Runs the application in this process, over doubles of its bindings. */
export function createProcessEngine(
  given: TestApplication,
  options: ProcessEngineOptions,
): Engine {
  const { overrides, scope: parts } = options;
  let app = given;
  const background = createBackground((error) => faults.isCause(error));
  // Failures after the response: in its stream, in background work, or in an alarm.
  const late: unknown[] = [];
  // Those of sockets, which the test hears of where it waits for a message.
  const unheard: unknown[] = [];
  const listeners = new Set<(error: unknown) => void>();
  let waking: Promise<void> | undefined;
  const environment = {
    ...app,
    objectClass: async (name: string) => (await live()).objectClass(name),
    entrypoint: async (name: string) => (await live()).entrypoint(name),
    exports: () => entrypoints.exports,
    overrides,
    now: parts.now,
    guard,
    run,
    waitUntil: background.add,
    failed,
    socketFailed,
    servesAssets: app.isForeign,
    emailed: (mail: SentEmail) => traceSentEmail(parts.trace, mail),
  };
  const { env, stored, objects, assets, wake, close } = createEnvironment({
    ...environment,
    ...(options.stored === undefined ? {} : { stored: options.stored }),
  });
  const old: Environment[] = [];
  const faults = createFaults({
    stores: [
      ...options.stores ?? [],
      ...replaceBindings(env, {
        platform: app.platform,
        given: overrides,
        current: () => currentScope()?.faults?.exchange,
      }),
    ],
    nothing:
      "the context has no binding that stores. A storage of the application's own has faults by " +
      "createFaultDoubles() of @framework/testing/faults",
    copy() {
      const made = createEnvironment({ ...environment, stored: copyStored(stored) });
      old.push(made);
      return made.env;
    },
  });

  function failed(error: unknown): void {
    if (!faults.isCause(error)) late.push(error);
  }

  function socketFailed(error: unknown): void {
    if (faults.isCause(error)) return;
    if (listeners.size === 0) unheard.push(error);
    for (const hear of listeners) hear(error);
  }

  function guard(): void {
    // Checked for what was loaded once for all contexts and keeps instances itself.
    const current = app.isForeign ? currentScope() : undefined;
    if (current !== undefined && current.env !== env) throw keptBinding();
    options.guard();
  }

  let loading: Promise<TestApplication> | undefined;
  /** Returns the application; a copy of a context that has its own module gets one too. */
  async function live(): Promise<TestApplication> {
    if (options.stored === undefined || given.again === undefined) return app;
    return app = await (loading ??= given.again());
  }

  const entrypoints = createEntrypoints({
    find: (name) => app.entrypoint(name),
    objects: (name) => objects.get(name),
    owner: app.owner,
    env,
    waitUntil: background.add,
    guard,
    run,
  });

  /** Runs a handler of the worker. */
  async function handle<T>(
    name: EventName,
    event: unknown,
    ctx: EventContext = createEventContext({
      waitUntil: background.add,
      exports: entrypoints.exports,
    }),
  ): Promise<T> {
    // Alarms that are due run before the next event.
    await waking;
    const { application: { worker }, owner, isForeign } = await live();
    const handler = requireHandler(worker, name, { owner, isForeign });
    return await run(async () => await handler(event as never, env, ctx) as T);
  }

  async function fetch(request: Request): Promise<Response> {
    if (!app.isForeign) return checkSocket(await handle<Response>("fetch", request));
    const file = await assets?.answer(request);
    if (file) return file;
    const ctx = createEventContext({ waitUntil: background.add, exports: entrypoints.exports });
    try {
      return await answerAsPlatform(request, {
        ctx,
        handle: async (request) => checkSocket(await handle("fetch", request, ctx)),
        origin: (copy) => run(() => currentScope()!.call(copy)),
      });
    } catch (error) {
      // The platform's answer for a worker that throws.
      if (faults.isCause(error)) return new Response("Internal Server Error", { status: 500 });
      throw error;
    }
  }

  const deliveries = createDeliveries({
    platform: app.platform,
    waiting: stored.queues,
    now: parts.now,
    handle: (queue, messages) =>
      handleBatch(queue, messages, (batch) => handle<void>("queue", batch)),
  });

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const thrown: unknown[] = [];
    const scope: Scope = {
      ...parts,
      now: () => parts.now() + faults.skew(),
      call: (request) => faults.call(() => parts.call(request)),
      faults: {
        exchange: parts.trace ? traced(parts.trace, faults.exchange) : faults.exchange,
        spared: { now: parts.now, call: parts.call },
      },
      env,
      exports: entrypoints.exports,
      waitUntil: background.add,
      caches: stored.caches,
      failures: thrown,
    };
    const result = await runInScope(scope, work);
    // The visitor sees what comes of a fault, and so does the test.
    const failures = thrown.filter((error) => !faults.isCause(error));
    if (failures.length > 0) throw failures[0];
    scope.failures = { push: failed };
    scope.socketFailed = socketFailed;
    return result;
  }

  function throwLate(): void {
    const [first, ...others] = [...late.splice(0), ...unheard.splice(0)]
      .filter((error) => !faults.isCause(error));
    if (others.length > 0) throw new AggregateError([first, ...others], String(first));
    if (first !== undefined) throw first;
  }

  return {
    env,
    auth: app.application.auth,
    application: app,
    database: app.config.database,
    run,
    fetch,
    queue: deliveries.deliver,
    async scheduled(event) {
      const { controller, result } = createController(event, app.platform, parts.now());
      await handle<void>("scheduled", controller);
      return result;
    },
    async email(email) {
      const { message, result } = await createIncomingEmail(email);
      await handle<void>("email", message);
      const { rejected = null, forwards, replies } = result;
      return {
        rejected,
        forwarded: forwards.map(({ to, headers }) => ({ to, headers })),
        replies: replies.map(({ from, raw }) => ({ from, to: email.from, raw })),
      };
    },
    entrypoint: entrypoints.stub,
    wake() {
      const woken = wake();
      waking = woken.finally(() => {
        waking = undefined;
      });
      return { then: (done, failed) => woken.then(throwLate).then(done, failed) };
    },
    async settle() {
      await waking;
      await background.settle();
      throwLate();
    },
    onSocketFailure(hear) {
      if (unheard.length > 0) hear(unheard.shift());
      else listeners.add(hear);
      return () => void listeners.delete(hear);
    },
    fork: (scope) => createProcessEngine(given, { ...options, scope, stored: copyStored(stored) }),
    read: () => readStored(stored, parts.now()),
    faults: faults.begin,
    close() {
      faults.end();
      for (const each of [...old, { close }]) each.close();
    },
  };
}

function keptBinding(): TestingError {
  return new TestingError(
    "KEPT_BINDING",
    "The worker used a binding of another test context: a variable of one of its modules keeps an instance that was made " +
      'with the env of an earlier request. Make it in each request, make it with env of "cloudflare:workers", or have ' +
      'each context load the worker anew: createTestContext({ fresh: "module" }).',
  );
}
