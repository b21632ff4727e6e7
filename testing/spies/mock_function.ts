import type { fn as MockFunctions, Mock, MockInstance } from "@vitest/spy";

/**
 * Maker of mock functions: `vi.fn()` of the vitest that runs the test, whose `vi.clearAllMocks()` and `restoreMocks`
 * then reach the mocks of this package too, and elsewhere that of `@vitest/spy`.
 */
export const fn: typeof MockFunctions = await findMockFunctions();

async function findMockFunctions(): Promise<typeof MockFunctions> {
  // Set by vitest in the processes and workers that run tests, and in no process that such a test starts.
  if (!("__vitest_worker__" in globalThis)) return (await import("@vitest/spy")).fn;
  // Not written into the import: Deno would install vitest for whoever imports this package.
  const name = "vitest";
  return (await import(/* @vite-ignore */ name)).vi.fn;
}

/** Any function, whatever it takes. */
// deno-lint-ignore no-explicit-any -- of its parameters nothing is known.
export type AnyFunction = (...args: any[]) => any;

/**
 * A method that is a mock function too. What `mockResolvedValue` and its like take is not checked:
 * most methods of the platform are overloaded, and of those TypeScript would see the last form only.
 */
export type MockMethod<F extends AnyFunction> = F & MockInstance<AnyFunction>;

/** A value of which every method, however deep, is a mock function. */
export type Mocked<T> = T extends AnyFunction ? MockMethod<T> & MockedMembers<T>
  : T extends object ? T & MockedMembers<T>
  : T;

/** The members of a value, of which every method, however deep, is a mock function. */
export type MockedMembers<T> = {
  [K in keyof T]: T[K] extends AnyFunction ? MockMethod<T[K]>
    : T[K] extends object ? Mocked<T[K]>
    : T[K];
};

/** A mock function without a type of its own. */
type AnyMock = Mock<AnyFunction>;

// A promise is recognized by its `then`; the others are what printing and comparing asks objects for.
const NOT_MOCKED = new Set(["then", "toJSON", "asymmetricMatch", "nodeType", "$$typeof"]);

/** Returns true for a name that code asks any object for, and so never a binding or a method. */
export function isProbe(property: string | symbol): boolean {
  return typeof property === "symbol" || NOT_MOCKED.has(property);
}

/**
 * A mock function whose every property is such a mock function too, made at its first use.
 *
 * @param name What failed expectations call it.
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
 * Makes a mock function of each of an object's own methods, in place. They go on working; a test
 * may look at their calls and replace what they do.
 *
 * @param object An object whose methods do not need `this`.
 * @param name What failed expectations call the object.
 */
export function spied<T extends object>(object: T, name: string): Mocked<T> {
  // Descriptors, because reading a property may do what it is there for.
  for (const [key, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    if (typeof method !== "function") continue;
    Reflect.set(object, key, fn(method as () => unknown).mockName(`${name}.${key}`));
  }
  return object as Mocked<T>;
}
