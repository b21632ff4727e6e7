import { clearAllMocks } from "@vitest/spy";
import { it as register } from "node:test";
import { eachRows } from "./each.ts";
import {
  createExpect,
  type Expect,
  type ExpectationRecord,
  resetExpectations,
  settleExpectations,
} from "./expect.ts";
import { runTest } from "../trace/test_failure.ts";
import { explainFailure } from "./failure.ts";
import { type FixtureMap, withFixtures } from "./fixtures.ts";
import { createSuite, type HookKind, lineage, runInSuites, type Suite } from "./suite.ts";
import type {
  Each,
  HookApi,
  SuiteApi,
  SuiteCall,
  TestApi,
  TestCall,
  TestFunction,
  TestOptions,
} from "./test_api.ts";

/** Functions that a test file imports. */
export interface Collector {
  describe: SuiteApi;
  test: TestApi;
  expect: Expect;
  beforeAll: HookApi;
  beforeEach: HookApi;
  afterEach: HookApi;
  afterAll: HookApi;
}

const DEFAULT_TIMEOUT = 20_000;

/**
 * Creates the functions with which a test file describes its tests.
 *
 * Every test is registered by its full name and without nesting, because Deno filters, counts and
 * honours `only` for top-level tests alone; blocks and their hooks are handled here.
 */
export function createCollector(): Collector {
  let open = createSuite("", null, "run");
  let running: ExpectationRecord | null = null;
  let onlyMode = false;
  const expect = createExpect(() => running);

  function add(name: string, options: TestOptions, fn: TestFunction): void {
    const suites = lineage(open);
    const fullName = [...suites.slice(1).map((suite) => suite.name), name].join(" > ");
    if (options.todo === true) return register.todo(fullName) as unknown as void;
    if (options.skip === true || open.mode === "skip") {
      return register.skip(fullName) as unknown as void;
    }
    const only = options.only === true || open.mode === "only";
    onlyMode ||= only;
    for (const suite of suites) {
      suite.counts.all++;
      if (only) suite.counts.only++;
    }
    const timeout = options.timeout ?? DEFAULT_TIMEOUT;
    (only ? register.only : register)(
      fullName,
      { timeout },
      ({ signal }) => runTest(fullName, () => run({ fullName, suites, fn, signal })),
    );
  }

  async function run(
    entry: { fullName: string; suites: Suite[]; fn: TestFunction; signal: AbortSignal },
  ): Promise<void> {
    const { fullName: name, signal } = entry;
    const record: ExpectationRecord = {};
    // vitest 5 begins every test with an empty history of calls.
    clearAllMocks();
    resetExpectations(expect, name);
    running = record;
    const failures = await runInSuites(entry.suites, async () => {
      await entry.fn({ task: { name }, expect, signal });
      await settleExpectations(expect, record);
    }, { only: onlyMode });
    running = null;
    const [first, ...others] = failures.map(explainFailure);
    if (others.length > 0) {
      throw new AggregateError([first, ...others], `${failures.length} failures: ${first}`);
    }
    if (failures.length > 0) throw first;
  }

  function call(extra: TestOptions, fixtures: FixtureMap = {}): TestCall {
    return (
      name: string,
      second: TestFunction | TestOptions,
      third?: TestFunction | number,
    ): void => {
      if (typeof second === "function") {
        const options = typeof third === "number" ? { timeout: third, ...extra } : extra;
        add(name, options, withFixtures(fixtures, second));
      } else if (typeof third === "function") {
        add(name, { ...second, ...extra }, withFixtures(fixtures, third));
      } else {
        throw new TypeError(`Test "${name}" has no function. Pass one, or use test.todo(name).`);
      }
    };
  }

  function suite(mode: Suite["mode"]): SuiteCall {
    return (name, define) => {
      const outer = open;
      open = createSuite(name, outer, mode);
      try {
        const result: unknown = define();
        if (result instanceof Promise) {
          throw new TypeError(
            `describe("${name}") was given an async function, but tests are collected synchronously: ` +
              "load their data in beforeAll.",
          );
        }
      } finally {
        open = outer;
      }
    };
  }

  function hook(kind: HookKind): HookApi {
    return (work) => {
      open.hooks[kind].push(work);
    };
  }

  function testWith(fixtures: FixtureMap): TestApi {
    return Object.assign(call({}, fixtures), {
      skip: call({ skip: true }),
      only: Object.assign(call({ only: true }, fixtures), { each: eachTest({ only: true }) }),
      todo: (name: string) => add(name, { todo: true }, () => {}),
      each: eachTest({}),
      skipIf: (condition: unknown) => call(condition ? { skip: true } : {}, fixtures),
      runIf: (condition: unknown) => call(condition ? {} : { skip: true }, fixtures),
      extend: ((more: FixtureMap) => testWith({ ...fixtures, ...more })) as TestApi["extend"],
    });
  }

  function eachTest(extra: TestOptions): Each {
    return (table) => (title, fn, timeout) => {
      for (const { name, args } of eachRows(title, table)) {
        call(extra)(name, () => (fn as (...values: unknown[]) => unknown)(...args), timeout);
      }
    };
  }

  const describe: SuiteApi = Object.assign(suite("run"), {
    skip: suite("skip"),
    only: suite("only"),
    each: ((table) => (title, fn) => {
      for (const { name, args } of eachRows(title, table)) {
        suite("run")(name, () => void (fn as (...values: unknown[]) => unknown)(...args));
      }
    }) as Each,
    skipIf: (condition: unknown) => suite(condition ? "skip" : "run"),
    runIf: (condition: unknown) => suite(condition ? "run" : "skip"),
  });

  return {
    describe,
    test: testWith({}),
    expect,
    beforeAll: hook("beforeAll"),
    beforeEach: hook("beforeEach"),
    afterEach: hook("afterEach"),
    afterAll: hook("afterAll"),
  };
}
