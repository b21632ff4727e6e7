import {
  clearAllMocks,
  fn,
  isMockFunction,
  type MaybeMockedDeep,
  resetAllMocks,
  restoreAllMocks,
  spyOn,
} from "@vitest/spy";

/** Part of vitest's `vi` that does not need vitest's runner: mock functions and spies. */
export interface Vi {
  /** Creates a mock function, which records its calls and runs the given implementation, or nothing. */
  fn: typeof fn;
  /** Replaces a method with a mock function that calls the original. */
  spyOn: typeof spyOn;
  /** Returns true for a mock function. */
  isMockFunction: typeof isMockFunction;
  /** Returns a value typed as a mock. */
  mocked<T>(value: T): MaybeMockedDeep<T>;
  /** Clears the recorded calls of every mock. */
  clearAllMocks(): Vi;
  /** Clears recorded calls and implementations of every mock. */
  resetAllMocks(): Vi;
  /** Restores the originals of all spies. */
  restoreAllMocks(): Vi;
}

/**
 * Mock functions and spies under vitest's names.
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
