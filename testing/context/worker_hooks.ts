// Runs inside of workerd, in the bundle that a test asks for: nothing but types may be imported from another package, and
// from this one only what imports nothing itself.
import type { Application, ApplicationOptions, createApplication } from "@framework/cli/runtime";
import { AsyncLocalStorage } from "node:async_hooks";
import { createMessage } from "./email_delivery.ts";
import { handlersOf } from "./handlers.ts";
import { installScopedDate } from "./scoped_date.ts";

/** Name of the binding through which the worker talks to the test. */
const BINDING = "FRAMEWORK_TEST";
/** Name of the binding with the kinds of those that the platform file declares, by their names. */
const DECLARED = "FRAMEWORK_TEST_DECLARED";
const TIME = "framework-test-time";
const EMAIL = "framework-test-email";

/** State of one request. */
interface Scope {
  now: number;
  env: object;
  /** Reports that are being sent to the test. */
  told: Promise<unknown>[];
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Creates the application with the test's clock and mails.
 *
 * @param create Function that creates the application, as the generated entry imports it.
 * @returns A function of the same type for that entry; its application reports to the test.
 *
 * @example
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { wrapApplication } from "@framework/testing/worker";
 * import { equal } from "node:assert/strict";
 *
 * const { worker } = wrapApplication(createApplication)({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [],
 * });
 * equal((await worker.fetch(new Request("http://localhost/"), {})).status, 404);
 * ```
 */
export function wrapApplication(create: typeof createApplication): typeof createApplication {
  installScopedDate(() => scopes.getStore()?.now);
  return (manifest, options): Application => {
    const application = create(manifest, { ...options, ...hooks });
    const { worker } = application;
    return { ...application, worker: { ...worker, ...eventsOf(worker) } as Application["worker"] };
  };
}

/**
 * Wraps a worker that is no application of the framework, with the test's clock; its errors are the test's.
 *
 * @param module What the worker's module exports.
 * @returns The default export of the worker that the test runs.
 *
 * @example
 * ```ts
 * import { wrapWorker } from "@framework/testing/worker";
 * import { equal } from "node:assert/strict";
 *
 * const worker = wrapWorker({ default: { fetch: () => new Response("Hello") } });
 * const response = await worker.fetch?.(new Request("http://localhost/"), {}, {});
 * equal(await (response as Response).text(), "Hello");
 * ```
 */
export function wrapWorker(module: Record<string, unknown>): WrappedWorker {
  installScopedDate(() => scopes.getStore()?.now);
  const { fetch, ...others } = handlersOf(module["default"]);
  const worker = fetch === undefined ? others : { ...others, fetch: answering(fetch as Handler) };
  return eventsOf(worker as WrappedWorker);
}

type Handler = (event: unknown, env: object, ctx: object) => unknown;

/** Handlers of a worker, each with the state of its event around it. */
export interface WrappedWorker {
  /** Answers a request. */
  fetch?(event: unknown, env: object, ctx: object): unknown;
  /** Handles messages. */
  queue?(event: unknown, env: object, ctx: object): unknown;
  /** Runs a job. */
  scheduled?(event: unknown, env: object, ctx: object): unknown;
  /** Takes a mail. */
  email?(event: unknown, env: object, ctx: object): unknown;
}

/** Tells the test of an error, unless the request then goes to the origin. */
function answering(fetch: Handler): Handler {
  return async (request, env, ctx) => {
    let passes = false;
    const { passThroughOnException: pass } = ctx as { passThroughOnException?(): void };
    Object.assign(ctx, {
      passThroughOnException() {
        passes = true;
        pass?.call(ctx);
      },
    });
    try {
      const response = await fetch(request, env, ctx);
      if (response instanceof Response) return response;
      throw new TypeError("Incorrect type for Promise: the Promise did not resolve to 'Response'.");
    } catch (error) {
      if (passes) throw error;
      noteError(error);
      return new Response(null, { status: 500 });
    }
  };
}

function eventsOf(worker: object): WrappedWorker {
  const { fetch, queue, scheduled, email } = worker as WrappedWorker;
  return {
    fetch: async (event, given, ctx) => {
      const env = withRefused(given);
      const request = event as Request;
      const headers = new Headers(request.headers);
      const now = Number(headers.get(TIME) ?? Date.now());
      const mail = headers.get(EMAIL);
      headers.delete(TIME);
      if (mail !== null) return await answerEmail(request, mail, { email, env, ctx, now });
      const scope: Scope = { now, env, told: [] };
      // workerd closes the connection when a response is sent before the whole body is read,
      // and this response or the test's next request would be lost. Therefore the body is read
      // first.
      const body = request.body === null ? null : await request.arrayBuffer();
      if (body !== null) headers.set("content-length", String(body.byteLength));
      headers.delete("transfer-encoding");
      const own = new Request(request, { headers, body });
      const response = await scopes.run(scope, () => answered(fetch, own, env, ctx));
      await Promise.all(scope.told);
      return response;
    },
    ...(queue && {
      queue: (batch, env, ctx) => runEvent(env, () => queue(batch, withRefused(env), ctx)),
    }),
    ...(scheduled && {
      scheduled: (event, env, ctx) => runEvent(env, () => scheduled(event, withRefused(env), ctx)),
    }),
  };
}

// Applications keep instances by their `env`, which is one object for all requests.
const completed = new WeakMap<object, object>();

/** Adds stand-ins for declared bindings that are not here, whose first use throws. */
function withRefused(env: object): object {
  const known = completed.get(env);
  if (known !== undefined) return known;
  const { [DECLARED]: declared = {}, ...others } = env as Record<string, Record<string, string>>;
  const missing = Object.entries(declared).filter(([name]) => others[name] === undefined)
    .map(([name, kind]) => [name, refused(name, kind)]);
  const made = { ...others, ...Object.fromEntries(missing) };
  completed.set(env, made);
  return made;
}

function refused(name: string, kind: string): object {
  return new Proxy({}, {
    get(_target, property) {
      if (typeof property === "symbol" || property === "then" || property === "toJSON") {
        return undefined;
      }
      throw new Error(
        `env.${name} is declared under "${kind}" in the platform file, and the emulator does not have it. Run the test in ` +
          `process, with a double: createTestContext({ env: { ${name}: fake } }).`,
      );
    },
  });
}

function answered(fetch: Handler | undefined, ...event: Parameters<Handler>): unknown {
  if (fetch !== undefined) return fetch(...event);
  noteError(new TypeError("Handler does not export a fetch() function."));
  return new Response(null, { status: 500 });
}

/** Runs a handler that no request reaches, at the time of the test; its error is the test's. */
async function runEvent(env: object, work: () => unknown): Promise<void> {
  const scope: Scope = { now: Date.now(), env, told: [] };
  await scopes.run(scope, async () => {
    const { now } = await tell("time", null) as { now: number };
    scope.now = now;
    try {
      await work();
    } catch (error) {
      noteError(error);
      throw error;
    } finally {
      await Promise.all(scope.told);
    }
  });
}

async function answerEmail(
  request: Request,
  envelope: string,
  { email, env, ctx, now }: { email: Handler | undefined; env: object; ctx: object; now: number },
): Promise<Response> {
  const { from, to } = JSON.parse(envelope);
  const raw = new Uint8Array(await request.arrayBuffer());
  const { message, delivery } = createMessage({ from, to, raw });
  const scope: Scope = { now, env, told: [] };
  await scopes.run(scope, async () => {
    try {
      await email?.(message, env, ctx);
    } catch (error) {
      noteError(error);
    }
    await Promise.all(scope.told);
  });
  return Response.json(email === undefined ? null : delivery);
}

function noteError(error: unknown): void {
  const { name, message, stack } = error instanceof Error
    ? error
    : { name: "Error", message: String(error), stack: undefined };
  scopes.getStore()?.told.push(tell("failure", { name, message, stack }));
}

const hooks: ApplicationOptions = {
  now: () => scopes.getStore()?.now ?? Date.now(),
  async deliver(mail, send) {
    const { isSent } = await tell("mail", mail) as { isSent: boolean };
    if (isSent) await send();
  },
  onError: noteError,
  logger: { info: () => {}, warn: () => {}, error: () => {} },
};

async function tell(what: string, about: unknown): Promise<unknown> {
  const env = scopes.getStore()?.env as Record<string, { fetch: typeof fetch }> | undefined;
  const body = JSON.stringify(about);
  const response = await env?.[BINDING]?.fetch(`http://test/${what}`, { method: "POST", body });
  return await response?.json();
}
