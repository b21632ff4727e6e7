import {
  addCustomEqualityTesters,
  ASYMMETRIC_MATCHERS_OBJECT,
  ChaiStyleAssertions,
  customMatchers,
  type ExpectStatic,
  getState,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  type MatcherState,
  setState,
  type Tester,
} from "@vitest/expect";
import * as chai from "chai";

/** vitest's `expect`, without snapshots, `soft` and `poll`, which need vitest's own runner. */
export interface Expect extends ExpectStatic {
  /** Fails the test unless it makes exactly this many assertions. */
  assertions(expected: number): void;
  /** Fails the test unless it makes an assertion. */
  hasAssertions(): void;
  /** Fails the test when it is reached, with a message if given. */
  unreachable(message?: string): never;
  /** Adds custom equality testers. */
  addEqualityTesters(testers: Tester[]): void;
}

/** Assertions of one test that have not been awaited yet. */
export interface ExpectationRecord {
  promises?: Promise<unknown>[];
  onFinished?: (() => void)[];
}

/** Creates an `expect` whose asynchronous assertions are recorded in `current()`. */
export function createExpect(current: () => ExpectationRecord | null): Expect {
  for (
    const plugin of [JestExtend, JestChaiExpect, ChaiStyleAssertions, JestAsymmetricMatchers]
  ) {
    chai.use(plugin);
  }
  const expect = ((value: unknown, message?: string) => {
    setState({ assertionCalls: getState(expect).assertionCalls + 1 }, expect);
    const assertion = chai.expect(value, message) as unknown as {
      withTest(test: ExpectationRecord): unknown;
    };
    const test = current();
    return test === null ? assertion : assertion.withTest(test);
  }) as unknown as Expect;

  Object.assign(expect, chai.expect, Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT));
  expect.getState = () => getState(expect);
  expect.setState = (state) => setState(state, expect);
  expect.addEqualityTesters = (testers) => addCustomEqualityTesters(testers);
  expect.extend = (matchers) =>
    (chai.expect as unknown as { extend(own: Expect, matchers: unknown): void })
      .extend(expect, matchers);
  expect.unreachable = (message) =>
    chai.assert.fail(`expected${message ? ` "${message}" ` : " "}not to be reached`);
  expect.assertions = (expected) => setState({ expectedAssertionsNumber: expected }, expect);
  expect.hasAssertions = () => setState({ isExpectingAssertions: true }, expect);
  resetExpectations(expect, "");
  expect.extend(customMatchers);
  Object.defineProperty(globalThis, GLOBAL_EXPECT, {
    value: expect,
    writable: true,
    configurable: true,
  });
  return expect;
}

/** Resets the announced number of assertions before a test. */
export function resetExpectations(expect: Expect, testName: string): void {
  const fresh: Partial<MatcherState> = {
    assertionCalls: 0,
    currentTestName: testName,
    expectedAssertionsNumber: null,
    isExpectingAssertions: false,
  };
  setState(fresh, expect);
}

/**
 * Waits for running assertions, then throws for assertions that were not awaited and for a number
 * of assertions other than the announced one.
 */
export async function settleExpectations(expect: Expect, record: ExpectationRecord): Promise<void> {
  await Promise.all(record.promises ?? []);
  for (const check of record.onFinished ?? []) check();
  const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions } = getState(expect);
  if (typeof expectedAssertionsNumber === "number" && assertionCalls !== expectedAssertionsNumber) {
    throw new Error(
      `Expected number of assertions to be ${expectedAssertionsNumber}, but got ${assertionCalls}.`,
    );
  }
  if (isExpectingAssertions === true && assertionCalls === 0) {
    throw new Error("Expected any number of assertions, but got none.");
  }
}
