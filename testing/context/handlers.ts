import { TestingError } from "../errors.ts";

/** What a worker's handlers are given besides the event and `env`. */
export interface WorkerContext {
  /** Lets work go on after the answer; `settled()` and `cleanup()` of the test context wait for it. */
  waitUntil(work: Promise<unknown>): void;
  /** Has requests go to the origin when the worker throws: here to `onFetch`. */
  passThroughOnException(): void;
  /** Properties that a caller has given to the entrypoint. */
  readonly props: unknown;
  /** The worker's own entrypoints and durable objects, by the names of their classes. */
  readonly exports: Record<string, unknown>;
}

/** Application that is a `fetch`: a function, or an object with that method. */
export type FetchApplication =
  // deno-lint-ignore no-explicit-any -- what it takes besides the request is its own.
  | { fetch(request: Request, ...others: any[]): Response | Promise<Response> }
  // deno-lint-ignore no-explicit-any -- as above.
  | ((request: Request, ...others: any[]) => Response | Promise<Response>);

type Handler = (event: never, env: object, ctx: WorkerContext) => unknown;

/** Handlers of a worker: those that its default export has. */
export interface Handlers {
  fetch?: Handler;
  queue?: Handler;
  scheduled?: Handler;
  email?: Handler;
}

/** Names of the events that a worker can handle. */
export type EventName = keyof Handlers;

const EVENTS: readonly EventName[] = ["fetch", "queue", "scheduled", "email"];

// deno-lint-ignore no-explicit-any -- classes with constructors of every kind.
type EntrypointClass = new (ctx: unknown, env: unknown) => any;

/** Returns true for a class, in whose place a plain function would be called. */
export function isClass(value: unknown): value is EntrypointClass {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}

/** Returns the handlers of an entrypoint. */
export function handlersOf(entrypoint: unknown): Handlers {
  if (typeof entrypoint === "function" && !isClass(entrypoint) && !("fetch" in entrypoint)) {
    return { fetch: entrypoint as Handler };
  }
  const source = isClass(entrypoint) ? entrypoint.prototype : entrypoint;
  if (typeof source !== "object" && typeof source !== "function" || source === null) return {};
  const handlers: Handlers = {};
  for (const name of EVENTS) {
    if (typeof Reflect.get(source, name) !== "function") continue;
    handlers[name] = isClass(entrypoint)
      ? (event, env, ctx) => new entrypoint(ctx, env)[name](event)
      : (...args) => Reflect.apply(Reflect.get(source, name), source, args);
  }
  return handlers;
}

/** Advice where files of `app/` are the handlers. */
const FILES: Partial<Record<EventName, string>> = {
  queue: "Create app/queues/<name>.ts, with the queue's name.",
  scheduled: "Create app/cron/<name>.ts.",
};

/**
 * Returns a handler.
 *
 * @param found `owner`: name of the file, for the message; `isForeign`: false for an application of `app/`.
 * @throws {TestingError} `NO_HANDLER` when the worker has none of that name.
 */
export function requireHandler(
  handlers: Handlers,
  name: EventName,
  { owner, isForeign }: { owner: string; isForeign: boolean },
): Handler {
  const handler = handlers[name];
  if (handler !== undefined) return handler;
  const advice = isForeign
    ? `Its default export must have one: export default { ${name}(…) { … } }.`
    : FILES[name] ?? "An application of app/ handles no such event.";
  throw new TestingError("NO_HANDLER", `${owner} has no handler ${name}(). ${advice}`);
}

/** Context of one event, and what its handler has said by it. */
export interface EventContext extends WorkerContext {
  /** True when a request goes to the origin if the worker throws. */
  passes: boolean;
}

/**
 * Answers a request by a worker that is no application of the framework, as the platform does: when it throws after
 * `passThroughOnException()`, the origin answers.
 *
 * @param parts `ctx`: context of the event; `handle`: calls the worker; `origin`: sends the request to the origin.
 */
export async function answerAsPlatform(
  request: Request,
  { ctx, handle, origin }: {
    ctx: EventContext;
    handle(request: Request): Promise<unknown>;
    origin(request: Request): Promise<Response>;
  },
): Promise<Response> {
  const copy = request.clone();
  try {
    return checkResponse(await handle(request), request);
  } catch (error) {
    if (!ctx.passes) throw error;
    return await origin(copy);
  }
}

/** Checks what a worker answers as the platform does; a response to HEAD has no body. */
function checkResponse(response: unknown, { method }: Request): Response {
  if (typeof response !== "object" || response === null || !("status" in response)) {
    throw new TypeError("Incorrect type for Promise: the Promise did not resolve to 'Response'.");
  }
  const answer = response as Response;
  return method === "HEAD" && answer.body !== null ? new Response(null, answer) : answer;
}

/** Creates the context of an event. */
export function createEventContext(
  { waitUntil, exports, props = {} }: {
    waitUntil(work: Promise<unknown>): void;
    exports: Record<string, unknown>;
    props?: unknown;
  },
): EventContext {
  const context = {
    passes: false,
    waitUntil,
    passThroughOnException: () => void (context.passes = true),
    props,
    exports,
  };
  return context;
}
