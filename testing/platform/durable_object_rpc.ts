import { TestingError } from "../errors.ts";
import { isRpcTarget } from "./cloudflare_workers.ts";
import { checkSocket } from "./web_socket.ts";

/** Creates the stub of a remote object. */
export type StubOf = (target: object) => object;

/**
 * Copies a value as a call between worker and object does: data is copied, functions and
 * `RpcTarget`s become stubs, requests, responses and streams are transferred.
 *
 * @param stubOf Creates the stub of an `RpcTarget`.
 * @throws {DOMException} `DataCloneError` for values that the platform cannot serialize.
 */
function copyRpcValue(
  value: unknown,
  stubOf: StubOf,
  seen: Map<unknown, unknown> = new Map(),
): unknown {
  if (typeof value === "function") return copyFunction(value as AnyFunction, stubOf);
  if (typeof value !== "object" || value === null) return structuredClone(value);
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (isRpcTarget(value)) return stubOf(value);
  if (MOVED.some((type) => value instanceof type)) return value;
  if (value instanceof Error) return copyError(value);
  if (COPIED.some((type) => value instanceof type) || ArrayBuffer.isView(value)) {
    return structuredClone(value);
  }
  const inner = (item: unknown) => copyRpcValue(item, stubOf, seen);
  if (value instanceof Map) {
    const copy = new Map<unknown, unknown>();
    seen.set(value, copy);
    for (const [key, item] of value) copy.set(inner(key), inner(item));
    return copy;
  }
  if (value instanceof Set) {
    const copy = new Set<unknown>();
    seen.set(value, copy);
    for (const item of value) copy.add(inner(item));
    return copy;
  }
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
    throw uncloneable(value);
  }
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  for (const [key, item] of Object.entries(value)) Reflect.set(copy, key, inner(item));
  return copy;
}

/**
 * Copies an error for the caller of an object: built-in errors keep their class, others become an
 * `Error` of the same name, with those of their own properties that can be serialized.
 */
export function copyThrown(thrown: unknown): Error {
  // Errors of this package are for the test and are not copied.
  if (thrown instanceof TestingError) return thrown;
  const error = thrown instanceof Error ? copyError(thrown) : new Error(String(thrown));
  return Object.assign(error, { remote: true });
}

function copyError(error: Error): Error {
  const { name, message } = error;
  const copy = error instanceof DOMException
    ? new DOMException(message, name)
    : new (BUILT_IN.get(name) ?? Error)(message);
  if (copy.name !== name) Object.assign(copy, { name });
  for (const [key, value] of Object.entries(error)) {
    if (key === "name" || key === "message" || key === "stack" || key in copy) continue;
    try {
      Object.assign(copy, { [key]: structuredClone(value) });
    } catch { /* what cannot be carried stays behind */ }
  }
  // The platform sends no stack; here it shows where in the object the error was thrown.
  Object.defineProperty(copy, "stack", { value: error.stack, configurable: true, writable: true });
  return copy;
}

function copyFunction(call: AnyFunction, stubOf: StubOf): AnyFunction {
  const copy: AnyFunction = async (...args) => {
    try {
      const given = args.map((arg) => copyRpcValue(arg, stubOf));
      return copyRpcValue(await call(...given), stubOf);
    } catch (error) {
      throw copyThrown(error);
    }
  };
  // Disposal needs no work in process.
  return Object.assign(copy, { [Symbol.dispose]: () => {} });
}

function uncloneable(value: object): DOMException {
  const type = value.constructor?.name ?? "Object";
  return new DOMException(
    `Could not serialize object of type "${type}". This type does not support serialization.`,
    "DataCloneError",
  );
}

type AnyFunction = (...args: unknown[]) => unknown;
// deno-lint-ignore no-explicit-any -- classes with constructors of every kind.
type AnyClass = abstract new (...args: any[]) => object;

const MOVED: AnyClass[] = [Request, Response, Headers, ReadableStream, WritableStream];
const COPIED: AnyClass[] = [Date, RegExp, ArrayBuffer];
const BUILT_IN = new Map(
  [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]
    .map((type) => [type.name, type as new (message: string) => Error]),
);

/** Reference to a remote value, which can be awaited and called. */
export interface RpcReference {
  get(): Promise<unknown>;
  call(args: unknown[]): Promise<unknown>;
}

const RESERVED = new Set([
  "alarm",
  "webSocketMessage",
  "webSocketClose",
  "webSocketError",
]);

/**
 * Creates a caller's view of a member: a function to call, and a promise of the member's value, so
 * that `await stub.room().members.count()` is one chain.
 */
export function createRpcMember(reference: RpcReference): unknown {
  return new Proxy(function () {}, {
    get: (_target, property) => follow(reference, property),
    apply: (_target, _self, args) => createResult(reference.call(args)),
  });
}

/** Creates the result of a call: a promise whose members can be used before it resolves. */
function createResult(result: Promise<unknown>): unknown {
  const reference = { get: () => result, call: () => result };
  return new Proxy({}, { get: (_target, property) => follow(reference, property) });
}

function follow(reference: RpcReference, property: string | symbol): unknown {
  if (property === "then" || property === "catch" || property === "finally") {
    const promise = reference.get();
    return promise[property].bind(promise);
  }
  if (property === Symbol.toStringTag) return "Promise";
  if (typeof property === "symbol") return undefined;
  return createRpcMember(propertyOf(reference, property));
}

function propertyOf(owner: RpcReference, property: string): RpcReference {
  const get = async () => (await owner.get() as Record<string, unknown>)[property];
  return {
    get,
    call: async (args) => {
      const held = await owner.get() as Record<string, (...args: unknown[]) => unknown>;
      return await held[property]!(...args);
    },
  };
}

const stubs = new WeakSet<object>();

/** Returns true for the stub of a remote `RpcTarget`. */
export function isRpcStub(value: object): boolean {
  return stubs.has(value);
}

/** Creates the stub of a remote `RpcTarget`, or of a function. */
export function createRpcStub(target: object): object {
  if (typeof target === "function") return copyFunction(target as AnyFunction, createRpcStub);
  const stub = new Proxy({}, {
    get(_target, property) {
      if (property === Symbol.dispose) return () => {};
      if (property === "dup") return () => createRpcStub(target);
      if (typeof property === "symbol" || property === "then") return undefined;
      return createRpcMember(remoteMember(target, property));
    },
  });
  stubs.add(stub);
  return stub;
}

/** Creates a reference to a member of a remote object. */
export function remoteMember(target: object, name: string): RpcReference {
  return {
    get: () => remotely(() => copyRpcValue(memberOf(target, name), createRpcStub)),
    call: (args) =>
      remotely(async () => {
        const given = args.map((arg) => copyRpcValue(arg, createRpcStub));
        const member = memberOf(target, name);
        if (typeof member !== "function") throw new TypeError(`"${name}" is not a function.`);
        return copyRpcValue(await member.apply(target, given), createRpcStub);
      }),
  };
}

async function remotely(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    throw copyThrown(error);
  }
}

/**
 * Reads a member that the class declares; an instance's own properties are private.
 */
function memberOf(target: object, name: string): unknown {
  if (!isRpcTarget(target)) {
    throw new TypeError(
      "The receiving Durable Object does not support RPC, because its class was not declared with " +
        "`extends DurableObject`. In order to enable RPC, make sure your class extends the special " +
        'class `DurableObject`, which can be imported from the module "cloudflare:workers".',
    );
  }
  if (RESERVED.has(name)) {
    throw new TypeError(`'${name}' is a reserved method and cannot be called over RPC.`);
  }
  if (Object.hasOwn(target, name) || !(name in target) || name in Object.prototype) {
    throw new TypeError(`The RPC receiver does not implement the method "${name}".`);
  }
  return Reflect.get(target, name);
}

const MAX_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request to an object and follows redirects to the same object as the request's mode says.
 * @param deliver Delivers an event to the object.
 */
export async function fetchObject(
  deliver: (event: (object: object) => Promise<Response>) => Promise<Response>,
  request: Request,
): Promise<Response> {
  request.signal.throwIfAborted();
  // A redirect can resend a body only if it was buffered.
  const kept = request.redirect === "follow" && request.body !== null
    ? await request.clone().arrayBuffer()
    : null;
  let current = request;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await deliver((object) => ask(object, current));
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    if (current.redirect === "manual") return response;
    if (current.redirect === "error") {
      throw new TypeError("Redirect returned but redirect mode is error.");
    }
    await response.body?.cancel();
    current = redirected(current, response.status, { location, kept });
  }
  throw new TypeError("Too many redirects.");
}

function redirected(
  { url, method, headers }: Request,
  status: number,
  { location, kept }: { location: string; kept: ArrayBuffer | null },
): Request {
  const becomesGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  const next = new Request(new URL(location, url), {
    method: becomesGet ? "GET" : method,
    headers,
    body: becomesGet ? null : kept,
  });
  if (becomesGet) {
    for (const name of ["content-type", "content-length"]) next.headers.delete(name);
  }
  return next;
}

async function ask(object: object, request: Request): Promise<Response> {
  const { fetch } = object as { fetch?: (request: Request) => unknown };
  try {
    if (typeof fetch !== "function") {
      throw new Error("Handler does not export a fetch() function.");
    }
    const response = await fetch.call(object, request);
    if (response instanceof Response) return checkSocket(response);
    throw new TypeError(
      "Incorrect type for Promise: the Promise did not resolve to 'Response'.",
    );
  } catch (error) {
    throw copyThrown(error);
  }
}
