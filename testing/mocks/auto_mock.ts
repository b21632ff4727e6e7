import { fn } from "./mock_functions.ts";
import type { AnyMock } from "./mock_types.ts";

// A promise is recognized by its `then`; the others are what printing and comparing asks objects for.
const NOT_MOCKED = new Set(["then", "toJSON", "asymmetricMatch", "nodeType", "$$typeof"]);

/** Whether a name is one that code asks any object for, and so never a binding or a method. */
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
