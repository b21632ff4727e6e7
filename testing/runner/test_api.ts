import type { Expect } from "./expect.ts";
import type { Hook } from "./suite.ts";

/** Context of a test function. */
export interface TestContext {
  /** Properties of the test, such as its name. */
  task: { name: string };
  /** The same `expect` that the module exports. */
  expect: Expect;
  /** Aborted when the test runs into its time limit. */
  signal: AbortSignal;
}

/** Options for a test. */
export interface TestOptions {
  /** Time limit in milliseconds. Default 20,000, as `defineTestConfig()` has it for vitest. */
  timeout?: number;
  /** True registers the test and does not run it. Default false. */
  skip?: boolean;
  /** True runs this test and no others of the file that lack it. Default false. */
  only?: boolean;
  /** True marks a test that is still to be written: it does not run. Default false. */
  todo?: boolean;
}

/** The body of a test, which may be asynchronous. A test passes when it ends without throwing. */
export type TestFunction<C = TestContext> = (context: C) => unknown;

/** Fixtures of these types, for `extend`. */
export type Fixtures<F, C = TestContext> = {
  [K in keyof F]: Fixture<F[K], C & F> | [Fixture<F[K], C & F>, { auto?: boolean }];
};

/** A value, or a function that passes one to `use` and continues after the test. */
export type Fixture<T, C> = T | ((context: C, use: (value: T) => Promise<void>) => unknown);

/** The arguments that a row of `each` gives to the function. */
export type EachArgs<T> = T extends readonly unknown[] ? [...T] : [T];

/** Registers a test, with a time limit in milliseconds or with options. */
export interface TestCall<C = TestContext> {
  (name: string, fn: TestFunction<C>, timeout?: number): void;
  (name: string, options: TestOptions, fn: TestFunction<C>): void;
}

/** Registers one test (or block) per row of the table. */
export interface Each {
  <const T>(
    table: readonly T[],
  ): (name: string, fn: (...args: EachArgs<T>) => unknown, timeout?: number) => void;
}

/**
 * The functions `test` and `it`, which register tests, with modifiers and fixtures.
 */
export interface TestApi<C = TestContext> extends TestCall<C> {
  /** Registers a test that does not run. */
  skip: TestCall<C>;
  /** Runs only these tests of the file; the run counts as failed. */
  only: TestCall<C> & { each: Each };
  /** Registers a test that is still to be written. */
  todo(name: string): void;
  /** Registers one test per row; see vitest for the placeholders of the name. */
  each: Each;
  /** `skip` when the condition holds. */
  skipIf(condition: unknown): TestCall<C>;
  /** `skip` unless the condition holds. */
  runIf(condition: unknown): TestCall<C>;
  /**
   * Returns `test` with fixtures: those that a test's parameter names are set up before the test
   * and torn down after it.
   *
   * @param fixtures Values, or functions that pass one to `use`.
   */
  extend<F>(fixtures: Fixtures<F, C>): TestApi<C & F>;
}

/** Opens a block of tests. */
export type SuiteCall = (name: string, define: () => void) => void;

/** The function `describe`, which opens a block, with modifiers. */
export interface SuiteApi extends SuiteCall {
  /** A block whose tests do not run. */
  skip: SuiteCall;
  /** Runs this block's tests and no others of the file. */
  only: SuiteCall;
  /** Opens one block per row of a table; see vitest for the placeholders of the name. */
  each: Each;
  /** `skip` when the condition holds. */
  skipIf(condition: unknown): SuiteCall;
  /** `skip` unless the condition holds. */
  runIf(condition: unknown): SuiteCall;
}

/** Registers a hook of the surrounding block. */
export type HookApi = (hook: Hook) => void;
