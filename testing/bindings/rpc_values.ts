import { TestingError } from "../errors.ts";
import { isRpcTarget } from "../cloudflare/rpc_target.ts";

/** Makes what stands for an object on the other side. */
export type StubOf = (target: object) => object;

/**
 * A copy of a value as it arrives on the other side of a call between worker and object: data is copied, functions and
 * `RpcTarget`s are called where they came from, requests, responses and streams move.
 *
 * @param stubOf Makes what stands for an `RpcTarget`.
 * @throws {DOMException} `DataCloneError` for what the platform does not carry.
 */
export function copyRpcValue(
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
 * What a caller catches of what an object threw: built-in errors keep their class, others become an `Error` of the same
 * name, with their own properties as far as those can be carried.
 */
export function copyThrown(thrown: unknown): Error {
  // What this package has to say to the test is none of the application's errors.
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
  // The platform sends no stack; here it says where in the object to look.
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
  // Nothing has to be told that it is not needed any more.
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
