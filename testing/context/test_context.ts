import type { OutgoingMail } from "@framework/auth/convention";
import type { Kysely } from "kysely";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { beginAtCallers, TestingError } from "../errors.ts";
import type { D1Database } from "../platform/d1.ts";
import { givenBindings } from "../platform/given_bindings.ts";
import { asService } from "../platform/service.ts";
import { rememberApplication, type TestApplication, testApplication } from "./application.ts";
import { createClock, type TestClock } from "./clock.ts";
import { type CookieJar, createContextCookies, createCookieJar } from "./cookies.ts";
import { completeEmail } from "./email_delivery.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import { addressOf, ORIGIN, send } from "./fetch.ts";
import { watchContext } from "./forgotten_contexts.ts";
import { type Fork, rememberFork } from "./fork.ts";
import { openKysely } from "./kysely.ts";
import { createOutgoing, divertFetch, type Outgoing } from "./outgoing.ts";
import { isInWorker } from "./pool.ts";
import { createProcessEngine } from "./process_engine.ts";
import { readPage } from "./page.ts";
import { runInRequest } from "./run_as.ts";
import { leaveScope, runSpared } from "./scope.ts";
import { signInBy } from "./test_auth.ts";
import { demandUser, signInWith } from "./with_auth.ts";
import { createTrace, rememberTrace, type Trace } from "../trace/trace.ts";
import { traceCall, traceMail, traceRequest, traceTest } from "./traced.ts";
import type { ConnectOptions, TestWebSocket } from "./test_socket.ts";
import type { TestAuth, TestContext, TestContextOptions, TestRequestInit } from "./types.ts";

/** State that a context shares with the contexts that `withAuth` derived from it. */
interface Shared {
  engine: Engine;
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  db: Kysely<any> | null;
  clock: TestClock;
  outbox: OutgoingMail[];
  outgoing: Outgoing;
  state: { ended: boolean };
  /** True when the application's own sender is called too. */
  sendMail: boolean;
  trace: Trace;
  /** Signs users in, for an application whose authentication is not the library's. */
  auth: TestAuth | undefined;
  forget(): void;
}

/**
 * Creates a context that runs the application of the current folder with its own migrated database,
 * the bindings of the platform file, a cookie jar and a clock. In process, the first call loads the
 * application, and each further call takes about a millisecond; `{ runtime: "workerd" }` builds the
 * application once per process and starts one workerd per context.
 *
 * @param options See {@linkcode TestContextOptions}.
 * @throws When the project cannot be loaded, a migration fails or `seed` throws; {@linkcode TestingError}
 * `OPTIONS` for unknown options and such as do not go together, `RUNNER` where Node itself loads the application,
 * `IN_WORKER` in a worker outside of vitest's pool, `POOL` for options that the pool does not support.
 * @example
 * ```ts
 * import { createTestContext } from "@framework/testing";
 * import assert from "node:assert/strict";
 * import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
 *
 * // The least that a project consists of.
 * const cwd = mkdtempSync("/tmp/project-");
 * writeFileSync(`${cwd}/wrangler.jsonc`, `{
 *   "name": "example",
 *   "compatibility_date": "2026-07-30",
 *   "compatibility_flags": ["nodejs_compat"]
 * }`);
 * mkdirSync(`${cwd}/app/hello`, { recursive: true });
 * writeFileSync(`${cwd}/app/hello/route.ts`, `export const GET = () => ({ hello: "world" });`);
 *
 * await using ctx = await createTestContext({ cwd });
 * const response = await ctx.fetch("/hello");
 * assert.deepEqual(await response.json(), { hello: "world" });
 * ```
 */
export async function createTestContext<Env = Record<string, unknown>>(
  options: TestContextOptions<Env> = {},
): Promise<TestContext<Env>> {
  leaveScope();
  refuseUnknown(options);
  const made = new Error("made here");
  const origin = readOrigin(options.origin ?? ORIGIN);
  const clock = createClock(Number(options.clock ?? Date.now()), () => engine.wake());
  const state = { ended: false };
  const outbox: OutgoingMail[] = [];
  const outgoing = createOutgoing();
  const trace = createTrace();
  const scope: ScopeParts = {
    now: clock.now,
    trace,
    call: (request) => traceCall(trace, request, outgoing.answer),
    async deliver(mail, sendOwn) {
      outbox.push(mail);
      traceMail(trace, mail);
      if (options.sendMail === true) await sendOwn();
    },
  };
  // Before the application is loaded: its modules may keep the global `fetch`.
  const restoreFetch = divertFetch();
  const opened = { scope, guard: () => refuseEnded(state) };
  const engine = await openEngine(options, opened).catch((error) => {
    restoreFetch();
    throw error;
  });
  const unwatch = watchContext(made);
  if (!isInWorker()) await traceTest(trace, { root: resolve(options.cwd ?? process.cwd()), made });
  const database = engine.env[engine.database];
  const shared: Shared = {
    engine,
    db: isDatabase(database) ? openKysely(database) : null,
    clock,
    outbox,
    outgoing,
    state,
    sendMail: options.sendMail === true,
    auth: options.auth,
    trace,
    forget() {
      restoreFetch();
      unwatch();
    },
  };
  const context = contextOver<Env>(shared, {
    jar: createCookieJar(clock.now),
    headers: {},
    origin,
    owner: true,
  });
  try {
    await options.seed?.(context.db);
  } catch (error) {
    await context.cleanup();
    throw error;
  }
  return context;
}

async function openEngine<Env>(
  given: TestContextOptions<Env>,
  own: { scope: ScopeParts; guard(): void },
): Promise<Engine> {
  const { runtime = "process", cwd, env, worker, handler, fresh, environment } = given;
  const services = Object.entries({ ...givenBindings(), ...env })
    .map(([name, value]) => [name, asService(name, value)]);
  const options = { ...own, overrides: Object.fromEntries(services) as Record<string, unknown> };
  // A deployed worker whose bundle contains this package by accident must not sign anybody in with
  // it: in a worker, this continues only with a module that vitest's worker pool alone has.
  if (isInWorker()) {
    const refused = [cwd, fresh, environment].some((option) => option !== undefined);
    if (refused || runtime !== "process") throw notInPool();
    if (handler !== undefined) refuseOptions({ worker }, "handler");
    const { openPoolEngine } = await import("./pool_engine.ts");
    return await openPoolEngine({ ...options, given: { worker, handler } });
  }
  const app = await loadApplication(given, cwd ?? process.cwd(), options.overrides);
  if (app.config.dialect === "postgres") {
    const { openPostgresEngine } = await import("./postgres_engine.ts");
    return await openPostgresEngine(app, runtime, options);
  }
  if (runtime === "process") return createProcessEngine(app, options);
  if (runtime === "workerd") {
    const { openWorkerdEngine } = await import("./workerd_engine.ts");
    return await openWorkerdEngine(app, options);
  }
  throw new TestingError(
    "RUNTIME",
    `createTestContext() was given the unknown runtime ${
      JSON.stringify(runtime)
    }. Pass "process" or "workerd".`,
  );
}

/** Loads the application that the options name: that of `app/`, a worker, or a `fetch`. */
async function loadApplication<Env>(
  { worker, handler, environment, fresh, runtime = "process" }: TestContextOptions<Env>,
  cwd: string,
  overrides: Record<string, unknown>,
): Promise<TestApplication> {
  if (fresh !== undefined && fresh !== "module") throw unknownFresh(fresh);
  if (handler !== undefined) {
    refuseOptions({ worker, environment, fresh }, "handler");
    if (runtime !== "process") throw noRuntime("handler");
    const { handlerApplication } = await import("./worker_application.ts");
    return await handlerApplication(cwd, handler);
  }
  if (worker === undefined && existsSync(resolve(cwd, "app"))) {
    refuseOptions({ environment, fresh }, "app/");
    return await testApplication(cwd);
  }
  const { isWorkerProject, workerApplication } = await import("./worker_application.ts");
  if (worker === undefined && !await isWorkerProject(cwd)) return await testApplication(cwd);
  if (runtime === "process") {
    const options = { environment, fresh: fresh ? overrides : null };
    return await workerApplication(cwd, worker, options);
  }
  if (typeof worker === "object") throw noRuntime("worker");
  const { workerFiles } = await import("./worker_application.ts");
  return await workerFiles(cwd, worker, environment);
}

/** All options, so that the compiler holds the list to their type. */
const OPTIONS: Readonly<Record<keyof TestContextOptions, true>> = {
  seed: true,
  env: true,
  cwd: true,
  clock: true,
  runtime: true,
  worker: true,
  environment: true,
  handler: true,
  fresh: true,
  auth: true,
  origin: true,
  sendMail: true,
};

/** Refuses what JavaScript lets through: a test with a misspelt option would test something else. */
function refuseUnknown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown === undefined) return;
  throw new TestingError(
    "OPTIONS",
    `createTestContext() was given the unknown option ${JSON.stringify(unknown)}. Pass some of ${
      Object.keys(OPTIONS).join(", ")
    }.`,
  );
}

function refuseOptions(others: Record<string, unknown>, than: string): void {
  const found = Object.entries(others).find(([, value]) => value !== undefined);
  if (found === undefined) return;
  throw new TestingError(
    "OPTIONS",
    `createTestContext() was given ${
      found[0]
    }, which does not go together with ${than}. Remove one of them.`,
  );
}

function unknownFresh(fresh: unknown): TestingError {
  return new TestingError(
    "OPTIONS",
    `createTestContext() was given fresh: ${
      JSON.stringify(fresh)
    }. Pass "module", or leave it out.`,
  );
}

function noRuntime(option: string): TestingError {
  return new TestingError(
    "RUNTIME",
    `createTestContext() builds the worker for workerd, and cannot build what ${option} holds: the test has imported it. ` +
      "Pass the path of the worker's file as worker, or remove runtime.",
  );
}

function contextOver<Env>(
  shared: Shared,
  own: {
    jar: CookieJar;
    headers: Readonly<Record<string, string>>;
    origin: string;
    owner: boolean;
  },
): TestContext<Env> {
  const { engine, clock, outbox, outgoing } = shared;
  const { env, auth } = engine;
  const { jar, headers, origin } = own;
  // A context made by `withAuth` may end first; the context that owns the database ends them all.
  const state = { ended: false };

  function refuse(): void {
    refuseEnded(shared.state);
    refuseEnded(state);
  }

  async function fetch(path: string, init?: TestRequestInit): Promise<Response> {
    refuse();
    return await traceRequest(
      shared.trace,
      { path, init },
      () => send({ origin, jar, headers, answer: engine.fetch }, path, init),
    );
  }

  async function connect(path: string, options: ConnectOptions = {}): Promise<TestWebSocket> {
    const { openTestSocket } = await import("./test_socket.ts");
    const headers = new Headers(options.headers);
    headers.set("upgrade", "websocket");
    if (options.protocols !== undefined) {
      headers.set("sec-websocket-protocol", options.protocols.join(", "));
    }
    return await openTestSocket(
      await fetch(path.replace(/^ws(?=s?:)/, "http"), { headers }),
      { guard: refuse, onSocketFailure: engine.onSocketFailure },
    );
  }

  async function cleanup(): Promise<void> {
    state.ended = true;
    if (!own.owner || shared.state.ended) return;
    try {
      await engine.settle();
    } finally {
      shared.state.ended = true;
      shared.forget();
      await engine.close();
    }
  }

  const context: TestContext<Env> = {
    env: env as Env,
    clock,
    origin,
    headers,
    outbox,
    onFetch: outgoing.onFetch,
    cookies: createContextCookies(jar, origin),
    get db() {
      if (shared.db !== null) return shared.db;
      throw new TestingError(
        "NO_DATABASE",
        `ctx.db needs the database binding "${engine.database}". Add it to d1_databases in ` +
          "the platform file, or name another in framework.config.ts (database). A worker with several databases has " +
          "the one with this name.",
      );
    },
    fetch,
    connect,
    async settled() {
      refuse();
      await engine.settle();
    },
    async submit(response, fields, selector) {
      // Imported here, so that tests without a form do not load the HTML parser.
      const { demandPage, readForm } = await import("./form.ts");
      demandPage(response);
      const form = readForm(await readPage(response, "submit()"), fields ?? {}, selector);
      const url = new URL(form.action, addressOf(response) ?? origin);
      if (form.method === "POST") {
        return await fetch(url.href, { method: "POST", body: form.fields });
      }
      url.search = String(form.fields);
      return await fetch(url.href);
    },
    async withAuth(options) {
      refuse();
      demandUser(options);
      const origin = readOrigin(options.origin ?? own.origin);
      if (shared.auth !== undefined) {
        const visitor = (headers: Readonly<Record<string, string>>, jar: CookieJar) =>
          contextOver<Env>(shared, { jar, headers, origin, owner: false });
        return await signInBy(shared.auth, options, { visitor, origin, now: clock.now });
      }
      return await engine.run(async () => {
        const { jar, headers } = await runSpared(() =>
          signInWith(options, { auth, env, origin, now: clock.now })
        );
        return contextOver<Env>(shared, { jar, headers, origin, owner: false });
      });
    },
    faults(options) {
      refuse();
      if (engine.faults === undefined) throw noFaults();
      return engine.faults(options);
    },
    async queue(name, messages) {
      refuse();
      if (typeof name !== "string") {
        throw new TestingError(
          "OPTIONS",
          `queue() was given the queue ${
            String(name)
          }. Pass the name of one, as in the platform file.`,
        );
      }
      return await engine.queue(name, messages);
    },
    async scheduled(event = {}) {
      refuse();
      return await engine.scheduled(event);
    },
    async email(email) {
      refuse();
      return await engine.email(completeEmail(email));
    },
    entrypoint(name, options = {}) {
      refuse();
      return engine.entrypoint(name, options.props);
    },
    async runAs(user, work) {
      refuse();
      return await engine.run(() =>
        runInRequest(user, work, { auth, env, origin, now: clock.now() })
      );
    },
    cleanup,
    [Symbol.asyncDispose]: cleanup,
  };
  if (engine.application !== undefined) rememberApplication(context, engine.application);
  rememberTrace(context, shared.trace);
  rememberFork(context, () => {
    refuse();
    return forkOf(engine, shared);
  });
  beginAtCallers(context);
  return context;
}

function forkOf(engine: Engine, shared: Shared): Fork | undefined {
  const mails: OutgoingMail[] = [];
  const calls: Fork["calls"] = [];
  const forked = engine.fork?.({
    now: shared.clock.now,
    async call(request) {
      calls.push({ method: request.method, url: request.url });
      return await shared.outgoing.answer(request);
    },
    async deliver(mail, sendOwn) {
      mails.push(mail);
      if (shared.sendMail) await sendOwn();
    },
  });
  return forked && { engine: forked, mails, calls, fork: () => forkOf(forked, shared)! };
}

function readOrigin(text: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin !== undefined && /^https?:/.test(origin)) return origin;
  throw new TestingError(
    "INVALID_ORIGIN",
    `${JSON.stringify(text)} is not an origin. Pass one such as "https://app.example".`,
  );
}

function notInPool(): TestingError {
  return new TestingError(
    "POOL",
    "The options cwd, environment, runtime and fresh cannot be used in the worker pool, which has one application, loads " +
      "its modules once and already runs in workerd. Remove them, or run the test outside of the pool.",
  );
}

function noFaults(): TestingError {
  return new TestingError(
    "RUNTIME",
    'ctx.faults() needs bindings of the test\'s process. Create the context without runtime: "workerd", outside of the ' +
      "worker pool.",
  );
}

function isDatabase(binding: unknown): binding is D1Database {
  return typeof binding === "object" && binding !== null && "prepare" in binding;
}

beginAtCallers(createTestContext);

function refuseEnded(state: { ended: boolean }): void {
  if (!state.ended) return;
  throw new TestingError(
    "CONTEXT_ENDED",
    "This test context has been cleaned up. Await everything that uses it before cleanup(), and " +
      "create a new one with createTestContext() for the next test.",
  );
}
