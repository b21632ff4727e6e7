import type { fn as MockFunctions, Mock, MockInstance } from "@vitest/spy";

/**
 * Creates mock functions: under vitest its own `vi.fn()`, so that `vi.clearAllMocks()` and
 * `restoreMocks` also reset the mocks of this package, and elsewhere that of `@vitest/spy`.
 */
export const fn: typeof MockFunctions = await findMockFunctions();

async function findMockFunctions(): Promise<typeof MockFunctions> {
  // vitest sets it in the processes and workers that run tests, but not in processes that a test starts.
  if (!("__vitest_worker__" in globalThis)) return (await import("@vitest/spy")).fn;
  // Not a literal in import(): Deno would install vitest for every user of this package.
  const name = "vitest";
  return (await import(/* @vite-ignore */ name)).vi.fn;
}

/** Any function, whatever it takes. */
// deno-lint-ignore no-explicit-any -- of its parameters nothing is known.
export type AnyFunction = (...args: any[]) => any;

/**
 * Method that is also a mock function. Arguments of `mockResolvedValue` and similar methods are not
 * checked: most methods of the platform are overloaded, and TypeScript would use the last overload
 * only.
 */
export type MockMethod<F extends AnyFunction> = F & MockInstance<AnyFunction>;

/** Value whose methods, at any depth, are mock functions. */
export type Mocked<T> = T extends AnyFunction ? MockMethod<T> & MockedMembers<T>
  : T extends object ? T & MockedMembers<T>
  : T;

/** Members of a value whose methods, at any depth, are mock functions. */
export type MockedMembers<T> = {
  [K in keyof T]: T[K] extends AnyFunction ? MockMethod<T[K]>
    : T[K] extends object ? Mocked<T[K]>
    : T[K];
};

/** A mock function without a type of its own. */
type AnyMock = Mock<AnyFunction>;

// `then` marks a promise; the other names are read when an object is printed or compared.
const NOT_MOCKED = new Set(["then", "toJSON", "asymmetricMatch", "nodeType", "$$typeof"]);

/**
 * Returns true for a property that generic code reads of any object, and that is never a binding or
 * a method.
 */
export function isProbe(property: string | symbol): boolean {
  return typeof property === "symbol" || NOT_MOCKED.has(property);
}

/**
 * Creates a mock function whose properties are such mock functions too, created at their first use.
 * @param name Name in messages of failed expectations.
 */
export function createAutoMock(name: string): AnyMock {
  const mock = fn().mockName(name);
  return new Proxy(mock, {
    get(target, property) {
      if (!isProbe(property) && !(property in target)) {
        Reflect.set(target, property, createAutoMock(`${name}.${String(property)}`));
      }
      return Reflect.get(target, property);
    },
  });
}

/**
 * Replaces each own method of an object with a mock function that calls it. A test can inspect the
 * calls and replace the implementation.
 *
 * @param object An object whose methods do not need `this`.
 * @param name Name of the object in messages of failed expectations.
 */
export function spied<T extends object>(object: T, name: string): Mocked<T> {
  // Descriptors, because reading a property may have side effects.
  for (const [key, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    if (typeof method !== "function") continue;
    Reflect.set(object, key, fn(method as () => unknown).mockName(`${name}.${key}`));
  }
  return object as Mocked<T>;
}
