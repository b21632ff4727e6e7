import type { Expect } from "./expect.ts";
import type { Hook } from "./suite.ts";

/** What a test function gets. */
export interface TestContext {
  /** The test's own facts. */
  task: { name: string };
  /** The same `expect` that the module exports. */
  expect: Expect;
  /** Aborted when the test runs into its time limit. */
  signal: AbortSignal;
}

/** Options of a test. */
export interface TestOptions {
  /** Time limit in milliseconds. Default 5000, as in vitest. */
  timeout?: number;
  skip?: boolean;
  only?: boolean;
  todo?: boolean;
}

/** The body of a test. */
export type TestFunction = (context: TestContext) => unknown;

/** The arguments that a row of `each` gives to the function. */
export type EachArgs<T> = T extends readonly unknown[] ? [...T] : [T];

/** Registers a test. */
export interface TestCall {
  (name: string, fn: TestFunction, timeout?: number): void;
  (name: string, options: TestOptions, fn: TestFunction): void;
}

/** Registers one test (or block) per row of the table. */
export interface Each {
  <const T>(
    table: readonly T[],
  ): (name: string, fn: (...args: EachArgs<T>) => unknown, timeout?: number) => void;
}

/** `test` and `it`. */
export interface TestApi extends TestCall {
  /** Registers a test that does not run. */
  skip: TestCall;
  /** Runs the tests marked so and no others of the file; the run itself counts as failed. */
  only: TestCall & { each: Each };
  /** Notes a test that is still to be written. */
  todo(name: string): void;
  /** Registers one test per row; see vitest for the placeholders of the name. */
  each: Each;
  /** `skip` when the condition holds. */
  skipIf(condition: unknown): TestCall;
  /** `skip` unless the condition holds. */
  runIf(condition: unknown): TestCall;
}

/** Opens a block of tests. */
export type SuiteCall = (name: string, define: () => void) => void;

/** `describe`. */
export interface SuiteApi extends SuiteCall {
  /** A block whose tests do not run. */
  skip: SuiteCall;
  /** Runs this block's tests and no others of the file. */
  only: SuiteCall;
  /** One block per row. */
  each: Each;
  /** `skip` when the condition holds. */
  skipIf(condition: unknown): SuiteCall;
  /** `skip` unless the condition holds. */
  runIf(condition: unknown): SuiteCall;
}

/** Registers a hook of the block that it stands in. */
export type HookApi = (hook: Hook) => void;
