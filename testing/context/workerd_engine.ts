import type { OutgoingMail } from "@framework/auth/convention";
import { readMigrations, splitStatements } from "@framework/cli/project";
import { DEFAULT_ENTRYPOINT } from "@framework/cli/testing";
import { createRequire } from "node:module";
import { join } from "node:path";
import { TestingError } from "../errors.ts";
import type { D1Database } from "../platform/d1.ts";
import { otherBindings } from "../platform/environment.ts";
import type { TestApplication } from "./application.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import { isMistake } from "./outgoing.ts";
import { exampleSecrets, migrationsFolder, type TestProject } from "./project.ts";
import { runInScope } from "./scope.ts";
import type { QueueResult } from "./queue_batch.ts";
import { createDeliveries, type SentToHandler } from "./queue_delivery.ts";
import { readEvent } from "./scheduled.ts";
import { foreignWorker, testWorker } from "./test_worker.ts";

/** Part of miniflare that is used; the package is the project's own. */
interface Emulator {
  ready: Promise<URL>;
  getBindings(): Promise<Record<string, unknown>>;
  getWorker(): Promise<EmulatedWorker>;
  setOptions(options: object): Promise<void>;
  dispatchFetch(url: string, init: object): Promise<EmulatorResponse>;
  dispose(): Promise<void>;
}

/** Handlers of the worker besides `fetch`, as the emulator calls them. */
interface EmulatedWorker {
  queue(
    name: string,
    messages: readonly SentToHandler[],
  ): Promise<QueueResult & { outcome: string }>;
  scheduled(event: { cron: string; scheduledTime: Date }): Promise<
    { outcome: string; noRetry: boolean }
  >;
}

interface EmulatorResponse {
  status: number;
  statusText: string;
  headers: Iterable<[string, string]>;
  body: ReadableStream<Uint8Array> | null;
  webSocket: object | null;
}

interface EmulatorModule {
  Miniflare: new (options: object) => Emulator;
  Response: new (body: ArrayBuffer | null, init: object) => EmulatorResponse;
  /** Translates options of miniflare 4, which is missing there: miniflare 5 takes options of another form. */
  convertV4MiniflareOptions?(options: object): object;
}

const BINDING = "FRAMEWORK_TEST";
const DECLARED = "FRAMEWORK_TEST_DECLARED";
const TIME = "framework-test-time";
const EMAIL = "framework-test-email";
// undici cancels the body of a response that nobody refers to any more, also when its stream is in another one.
const sources = new WeakMap<Response, EmulatorResponse>();
const EMPTY = new Set([101, 204, 205, 304]);

/**
 * Runs the application in workerd with the platform's own bindings, empty except for the migrations.
 *
 * @throws {TestingError} `PROJECT` when the application cannot be built, `OVERRIDE` for a double
 * that cannot be passed to workerd.
 */
export async function openWorkerdEngine(
  app: TestApplication,
  { scope: parts, overrides, guard }: {
    scope: ScopeParts;
    overrides: Record<string, unknown>;
    guard(): void;
  },
): Promise<Engine> {
  const { root } = app.config;
  const options = app.main === undefined
    ? (await testWorker(app)).options
    : await foreignWorker(app, app.main);
  const miniflare = createRequire(join(root, "package.json"))("miniflare") as EmulatorModule;
  const failures: unknown[] = [];

  async function outbound(request: Request): Promise<EmulatorResponse> {
    const copy = await copyOf(request);
    try {
      return await answerOf(await parts.call(copy), miniflare);
    } catch (error) {
      if (isMistake(error, copy)) failures.push(error);
      return new miniflare.Response(null, { status: 502, statusText: "No handler answered" });
    }
  }

  async function hear(request: Request): Promise<EmulatorResponse> {
    const about = await request.json();
    const { pathname } = new URL(request.url);
    let isSent = false;
    if (pathname === "/time") return await answerOf(Response.json({ now: parts.now() }), miniflare);
    if (pathname === "/mail") {
      const mail: OutgoingMail = { ...about, expires: new Date(about.expires) };
      await parts.deliver(mail, () => Promise.resolve(void (isSent = true)));
    } else {
      failures.push(revive(about));
    }
    return await answerOf(Response.json({ isSent }), miniflare);
  }

  const [built = {}, ...others] = options.workers;
  const worker: Record<string, unknown> = {
    ...built,
    bindings: { ...exampleSecrets(root, app.platform), ...built["bindings"] as object },
  };
  const started = withService({
    ...worker,
    ...overriding(worker, {
      ...overrides,
      // For the wrapper of the worker, which refuses those that the emulator does not have.
      [DECLARED]: Object.fromEntries(
        otherBindings(app.platform.raw).map(({ binding, kind }) => [binding, kind]),
      ),
    }, miniflare),
    outboundService: outbound,
  }, hear);
  const optionsWith = (first: object) => {
    const all = { ...options, workers: [first, ...others] };
    return miniflare.convertV4MiniflareOptions?.(all) ?? all;
  };
  const emulator = new miniflare.Miniflare(optionsWith(started));

  /** Throws the first error that the worker has told of: the others are its consequences. */
  function throwFailure(): void {
    const [failure] = failures.splice(0);
    if (failure !== undefined) throw failure;
  }

  async function dispatch(
    request: Request,
    headers: [string, string][] = [],
  ): Promise<EmulatorResponse> {
    const response = await emulator.dispatchFetch(request.url, {
      method: request.method,
      headers: [...request.headers, [TIME, String(parts.now())], ...headers],
      body: request.body === null ? null : await request.arrayBuffer(),
      redirect: "manual",
      ...("cf" in request && { cf: request.cf }),
    });
    throwFailure();
    return response;
  }

  const deliveries = createDeliveries({
    platform: app.platform,
    waiting: new Map(),
    isPlatforms: true,
    now: parts.now,
    async handle(queue, messages) {
      const { outcome, ...result } = await (await emulator.getWorker()).queue(queue, messages);
      const [failure] = failures.splice(0);
      if (failure !== undefined) return { result, error: failure };
      if (outcome === "ok") return { result };
      return { result, error: noHandler("queue", outcome) };
    },
  });

  /** Restarts the emulator with a binding to an entrypoint; what is stored stays. */
  const bindEntrypoint = createEntrypointBinder(async (entrypoints) => {
    const bound = Object.fromEntries(
      entrypoints.map(({ name, props }, index) => [
        `${BINDING}_${index}`,
        {
          name: app.platform.name,
          entrypoint: name === "default" ? DEFAULT_ENTRYPOINT : name,
          ...(props === undefined ? {} : { props }),
        },
      ]),
    );
    const serviceBindings = { ...started["serviceBindings"] as object, ...bound };
    await emulator.setOptions(optionsWith({ ...started, serviceBindings }));
    return await emulator.getBindings();
  });

  try {
    await emulator.ready;
    const { [BINDING]: _, [DECLARED]: _declared, ...bound } = await emulator.getBindings();
    const env = guarded({ ...bound, ...overrides }, guard);
    await migrate(app, bound);
    return {
      env,
      auth: app.application.auth,
      application: app,
      database: app.config.database,
      run: (work) => runInScope({ ...parts, env, failures }, work),
      async fetch(request) {
        const response = await dispatch(request);
        const { webSocket } = response;
        if (webSocket) {
          return new Response(
            null,
            { status: 101, headers: [...response.headers], webSocket } as object,
          );
        }
        const answer = new Response(EMPTY.has(response.status) ? null : response.body, {
          status: response.status,
          statusText: response.statusText,
          headers: [...response.headers],
        });
        sources.set(answer, response);
        return answer;
      },
      queue: deliveries.deliver,
      async scheduled(event) {
        const { cron, scheduledTime } = readEvent(event, app.platform, parts.now());
        const emulated = await emulator.getWorker();
        const { outcome, noRetry } = await emulated.scheduled({
          cron,
          scheduledTime: new Date(scheduledTime),
        });
        throwFailure();
        if (outcome !== "ok") throw noHandler("scheduled", outcome);
        return { noRetry };
      },
      async email({ from, to, raw }) {
        const body = typeof raw === "string" ? raw : new Uint8Array(raw);
        const request = new Request("http://localhost/", { method: "POST", body });
        const response = await dispatch(request, [[EMAIL, JSON.stringify({ from, to })]]);
        const delivery = await new Response(response.body).json();
        if (delivery === null) throw noHandler("email", "exception");
        return delivery;
      },
      entrypoint: (name, props) => bindEntrypoint({ name, props }),
      // Alarms run by the real time there.
      wake: () => Promise.resolve(),
      settle: () => failures.length > 0 ? Promise.reject(failures.shift()) : Promise.resolve(),
      close: () => emulator.dispose(),
    };
  } catch (error) {
    await emulator.dispose();
    throw error;
  }
}

/** Runs migration statements one by one, because the binding does not accept a script. */
async function migrate(
  { config, platform }: TestProject,
  bound: Record<string, unknown>,
): Promise<void> {
  for (const database of platform.d1Databases) {
    const folder = migrationsFolder(config, platform, database);
    if (folder === undefined) continue;
    const binding = bound[database.binding] as D1Database;
    for (const { sql } of await readMigrations(folder)) {
      const statements = splitStatements(sql).map(({ text }) => binding.prepare(text));
      if (statements.length > 0) await binding.batch(statements);
    }
  }
}

/** Adds the binding through which the application's worker talks to the test. */
function withService(
  worker: Record<string, unknown>,
  hear: (request: Request) => Promise<EmulatorResponse>,
): Record<string, unknown> {
  const services = worker["serviceBindings"] as Record<string, unknown> | undefined;
  return { ...worker, serviceBindings: { ...services, [BINDING]: hear } };
}

/** Splits the bindings that the test passes: data, and objects with a `fetch`, as services. */
function overriding(
  worker: Record<string, unknown>,
  overrides: Record<string, unknown>,
  miniflare: EmulatorModule,
): Record<string, unknown> {
  const bindings: Record<string, unknown> = { ...worker["bindings"] as object };
  const serviceBindings: Record<string, unknown> = { ...worker["serviceBindings"] as object };
  for (const [name, value] of Object.entries(overrides)) {
    const service = serviceOf(value);
    if (service !== null) {
      serviceBindings[name] = async (request: Request) =>
        await answerOf(await service(await copyOf(request)), miniflare);
    } else if (isData(value)) {
      bindings[name] = value;
    } else {
      throw new TestingError(
        "OVERRIDE",
        `env.${name} is a double with functions, which cannot be passed to workerd in another process. Pass data, an ` +
          "object with fetch(request), or run the test in process.",
      );
    }
  }
  return { bindings, serviceBindings };
}

function noHandler(name: string, outcome: string): TestingError {
  return new TestingError(
    "NO_HANDLER",
    `The worker has no handler ${name}(), or its outcome was "${outcome}". Its default export must have one.`,
  );
}

/** Entrypoint that a test calls, and the value of its `ctx.props`. */
interface BoundEntrypoint {
  name: string;
  props: unknown;
}

/** Creates a function that returns stubs of entrypoints, each of which is bound at its first call. */
function createEntrypointBinder(
  bind: (entrypoints: readonly BoundEntrypoint[]) => Promise<Record<string, unknown>>,
): (entrypoint: BoundEntrypoint) => object {
  const known = new Map<string, number>();
  const list: BoundEntrypoint[] = [];
  let bindings: Promise<Record<string, unknown>> | undefined;
  return (entrypoint) => {
    const key = JSON.stringify([entrypoint.name, entrypoint.props]);
    async function bound(): Promise<Record<string, (...args: unknown[]) => unknown>> {
      if (!known.has(key)) {
        known.set(key, list.push(entrypoint) - 1);
        bindings = (bindings ?? Promise.resolve()).then(() => bind(list));
      }
      return (await bindings!)[`${BINDING}_${known.get(key)}`] as never;
    }
    return new Proxy({}, {
      get: (_target, member) =>
        typeof member === "symbol" || member === "then"
          ? undefined
          : async (...args: unknown[]) => await (await bound())[member]!(...args),
    });
  };
}

function serviceOf(value: unknown): ((request: Request) => Promise<Response>) | null {
  if (typeof value !== "object" || value === null || !("fetch" in value)) return null;
  const { fetch } = value;
  return typeof fetch === "function" ? async (request) => await fetch.call(value, request) : null;
}

function isData(value: unknown): boolean {
  if (typeof value === "function") return false;
  if (typeof value !== "object" || value === null) return true;
  const { prototype } = Object;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === prototype;
  return isPlain && Object.values(value).every(isData);
}

/** Copies a request, because the emulator has its own Request and Response classes. */
async function copyOf(request: Request): Promise<Request> {
  const { url, method } = request;
  const isBare = method === "GET" || method === "HEAD";
  const body = isBare ? null : await request.arrayBuffer();
  return new Request(url, { method, headers: [...request.headers], body });
}

async function answerOf(
  response: Response,
  { Response: Own }: EmulatorModule,
): Promise<EmulatorResponse> {
  const { status, statusText } = response;
  const body = EMPTY.has(status) ? null : await response.arrayBuffer();
  return new Own(body, { status, statusText, headers: [...response.headers] });
}

/** Recreates an error of the worker with its name, message and stack. */
function revive(
  { name, message, stack }: { name: string; message: string; stack?: string },
): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Refuses bindings of a context that has ended. */
function guarded(env: Record<string, unknown>, guard: () => void): Record<string, unknown> {
  return new Proxy(env, {
    get(target, name, receiver) {
      guard();
      return Reflect.get(target, name, receiver);
    },
  });
}
