import { fn } from "./mock_functions.ts";
import type { Mocked } from "./mock_types.ts";

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
