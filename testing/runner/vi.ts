import {
  clearAllMocks,
  fn,
  isMockFunction,
  type MaybeMockedDeep,
  resetAllMocks,
  restoreAllMocks,
  spyOn,
} from "@vitest/spy";

/** The part of vitest's `vi` that needs no runner of its own: mock functions and spies. */
export interface Vi {
  /** Makes a mock function, which keeps its calls and does what it was made with, or nothing. */
  fn: typeof fn;
  /** Replaces a method by a mock function that calls the original. */
  spyOn: typeof spyOn;
  /** Returns true for a mock function. */
  isMockFunction: typeof isMockFunction;
  /** Gives a value back with the types of mocks. */
  mocked<T>(value: T): MaybeMockedDeep<T>;
  /** Forgets the calls of every mock. */
  clearAllMocks(): Vi;
  /** Forgets calls and implementations of every mock. */
  resetAllMocks(): Vi;
  /** Puts the originals of all spies back. */
  restoreAllMocks(): Vi;
}

/**
 * Mock functions and spies with the names that vitest gives them.
 *
 * @example
 * ```ts
 * import { expect, vi } from "@framework/testing/deno";
 *
 * const log = vi.spyOn(console, "log").mockImplementation(() => {});
 * console.log("Hello");
 * expect(log).toHaveBeenCalledWith("Hello");
 * vi.restoreAllMocks();
 * ```
 */
export const vi: Vi = {
  fn,
  spyOn,
  isMockFunction,
  mocked: <T>(value: T) => value as MaybeMockedDeep<T>,
  clearAllMocks: () => {
    clearAllMocks();
    return vi;
  },
  resetAllMocks: () => {
    resetAllMocks();
    return vi;
  },
  restoreAllMocks: () => {
    restoreAllMocks();
    return vi;
  },
};
