import { rateLimitGroup, type Storage } from "@framework/auth/storage";
import type { RateLimitStorage, RevocationStore } from "@framework/auth/storage";
import process from "node:process";
import { createCallLog } from "./call_log.ts";
import { casesFor, missingGroups, withOwnGroups } from "./case_groups.ts";
import { GROUPS } from "./complete_storage.ts";
import { interrupt, INTERRUPTION_CASES } from "./interruption_cases.ts";
import { EXACT_CASES } from "./rate_limit_cases.ts";
import { REVOCATION_CASES } from "./revocation_cases.ts";
import type { StorageSuite } from "./suites.ts";
import { createTrips, type StorageTools, type Trips } from "./trips.ts";

/** A storage that nobody else uses, without a row. */
export interface OpenedStorage<Opened = Storage> {
  /** The storage. */
  storage: Opened;
  /** Puts it away after the test, whether that passed or not. Default: nothing is done. */
  close?: () => unknown;
}

/** Options for {@linkcode testStorage} and its like. */
export interface TestStorageOptions<Opened = Storage> {
  /** Opens an empty storage, for each test one. */
  open: (tools: StorageTools) => OpenedStorage<Opened> | Promise<OpenedStorage<Opened>>;
  /** Time limit of one test, in milliseconds. Default 60,000. */
  timeout?: number;
  /** Registers a test with another runner, and is told its suite. Default: with the runner of the test file. */
  test?: (name: string, work: () => Promise<void>, about: StorageTest) => unknown;
}

/** Subject of a test. */
export interface StorageTest {
  /** Its suite. */
  readonly suite: StorageSuite;
}

/** Options for {@linkcode testStorage}. */
export interface TestWholeStorageOptions extends TestStorageOptions {
  /**
   * True for a storage between which and its rows nothing can be lost, such as one in memory. Default false: without a
   * `trip()` the tests with lost exchanges are registered as skipped.
   */
  isInProcess?: boolean;
}

/** A test of whichever runner runs the file. */
interface Runner {
  test(name: string, work: () => Promise<void>, about: StorageTest): unknown;
  skip(name: string): void;
}

/** Finds the runner: vitest, or whoever implements `node:test`, such as Deno, Node and Bun. */
async function findRunner(
  { test: given, timeout = 60_000 }: Pick<TestStorageOptions, "test" | "timeout">,
): Promise<Runner> {
  if (given !== undefined) return { test: given, skip: () => {} };
  // Set by vitest, which a project need not have.
  if (process.env["VITEST"] !== undefined) {
    const { test } = await import("vitest");
    return {
      test: (name, work) => test(name, { timeout }, work),
      skip: (name) => test.skip(name, () => {}),
    };
  }
  const { test } = await import("node:test");
  return {
    test: (name, work) => test(name, { timeout }, work),
    skip: (name) => void test.skip(name),
  };
}

/** Runs some work with a storage that is opened for it. */
async function withOpened<Opened>(
  { open }: TestStorageOptions<Opened>,
  work: (storage: Opened, trips: Trips) => Promise<void>,
): Promise<void> {
  const trips = createTrips();
  const { storage, close } = await open(trips);
  try {
    await work(storage, trips);
  } finally {
    await close?.();
  }
}

/** Checks a storage that is opened for it; a failure lists the last calls. */
async function checkOpened<Opened, Checked extends object>(
  options: TestStorageOptions<Opened>,
  part: (storage: Opened) => Checked,
  check: (storage: Checked, trips: Trips) => Promise<void>,
): Promise<void> {
  const calls = createCallLog();
  await withOpened(options, async (storage, trips) => {
    try {
      await check(calls.listen(part(storage)), trips);
    } catch (error) {
      throw calls.explain(error);
    }
  });
}

/**
 * Registers the tests that every storage must pass: users, sessions and the groups of operations that it has, races,
 * limits, clocks that differ, keys that look alike, and exchanges with the store that are lost. They are the tests of
 * the library's own storages. What a storage does not have is registered as skipped, by name.
 *
 * It runs in a test file of `deno test`, vitest, `node --test` or `bun test`; await it at the top level, so that the
 * tests are there when the runner looks for them.
 *
 * @param name Name of the storage, with which the names of the tests begin.
 * @param options How an empty one is opened, for each test.
 * @throws {Error} Whatever `open()` or the first question of the storage throws.
 *
 * @example A test file
 * ```ts ignore
 * // tests/my_storage.test.ts
 * import { testStorage } from "@framework/testing/storage";
 * import { createMyStorage } from "../my_storage.ts";
 * import { emptyDatabase } from "./empty_database.ts";
 *
 * await testStorage("my storage", {
 *   async open({ trip }) {
 *     const client = await emptyDatabase();
 *     const query = (sql: string, values: unknown[]) => trip(() => client.query(sql, values));
 *     return { storage: createMyStorage({ query }), close: () => client.end() };
 *   },
 * });
 * ```
 *
 * @example With another runner
 * ```ts
 * import { createMemoryStorage } from "@framework/auth/storage";
 * import { testStorage } from "@framework/testing/storage";
 * import { ok } from "node:assert/strict";
 *
 * const races = new Map<string, () => Promise<void>>();
 * await testStorage("memory", {
 *   open: () => ({ storage: createMemoryStorage() }),
 *   isInProcess: true,
 *   test: (name, work, { suite }) => suite === "races" && races.set(name, work),
 * });
 * ok(races.size > 30);
 * await races.get("memory: renewSession() is done by one of several at once")!();
 * ```
 */
export async function testStorage(name: string, options: TestWholeStorageOptions): Promise<void> {
  const { test, skip } = await findRunner(options);
  let asks = false;
  let { cases, partial }: Awaited<ReturnType<typeof casesFor>> = { cases: {}, partial: {} };
  const interrupted: typeof INTERRUPTION_CASES = {};
  let absent: string[] = [];
  let limits = false;
  await withOpened(options, async (storage, trips) => {
    ({ cases, partial } = await casesFor(storage));
    for (const [operation, one] of Object.entries(INTERRUPTION_CASES)) {
      const missing = await missingGroups(storage, async (memory) => {
        await one.prepare?.(memory, "user");
        await one.run(memory, "user");
        await one.observe(memory, "user");
      });
      if (missing.length === 0) interrupted[operation] = one;
    }
    limits = !!storage.group?.(rateLimitGroup);
    absent = [...GROUPS, rateLimitGroup]
      .filter((group) => !storage.group?.(group as typeof GROUPS[number]))
      .map((group) => group.name);
    await storage.getUser("nobody");
    asks = trips.count > 0;
  });
  for (const [title, check] of Object.entries(cases)) {
    test(`${name}: ${title}`, () => checkOpened(options, withOwnGroups, check), check);
  }
  if (limits) {
    for (const [title, check] of Object.entries(EXACT_CASES)) {
      test(
        `${name}: a limit ${title}`,
        () => checkOpened(options, (storage) => storage.group!(rateLimitGroup)!, (it) => check(it)),
        check,
      );
    }
  }
  if (asks) {
    for (const [operation, one] of Object.entries(interrupted)) {
      test(
        `${name}: ${operation} happens as a whole or not at all when an exchange is lost`,
        () =>
          checkOpened(
            options,
            withOwnGroups,
            (storage, trips) => interrupt(one, { storage, trips }),
          ),
        one,
      );
    }
  } else if (!options.isInProcess) {
    skip(`${name}: exchanges that are lost, because open() sends none by trip()`);
  }
  for (const [title, groups] of Object.entries(partial)) {
    skip(`${name}: ${title}, without ${groups.join(", ")}`);
  }
  for (const group of absent) skip(`${name}: group ${group}, which it does not have`);
}

/**
 * Registers the tests that an exact storage of rate limits must pass: concurrent attempts, the log of the last window,
 * clocks that differ, keys that look alike. See {@linkcode testStorage}.
 *
 * @param name Name of the storage, with which the names of the tests begin.
 * @param options How an empty one is opened, for each test.
 *
 * @example
 * ```ts
 * import { createMemoryRateLimitStorage } from "@framework/auth/rate-limit";
 * import { testRateLimitStorage } from "@framework/testing/storage";
 * import { ok } from "node:assert/strict";
 *
 * const tests: (() => Promise<void>)[] = [];
 * await testRateLimitStorage("limits in memory", {
 *   open: () => ({ storage: createMemoryRateLimitStorage() }),
 *   test: (_, work) => tests.push(work), // left out in a test file
 * });
 * for (const work of tests) await work();
 * ok(tests.length > 5);
 * ```
 */
export async function testRateLimitStorage(
  name: string,
  options: TestStorageOptions<RateLimitStorage>,
): Promise<void> {
  const { test } = await findRunner(options);
  for (const [title, check] of Object.entries(EXACT_CASES)) {
    test(
      `${name}: a limit ${title}`,
      () => checkOpened(options, (storage) => storage, (it) => check(it)),
      check,
    );
  }
}

/**
 * Registers the tests that a store of revocations must pass. See {@linkcode testStorage}.
 *
 * @param name Name of the store, with which the names of the tests begin.
 * @param options How an empty one is opened, for each test.
 *
 * @example
 * ```ts
 * import { createMemoryRevocationStore } from "@framework/auth/storage";
 * import { testRevocationStore } from "@framework/testing/storage";
 * import { ok } from "node:assert/strict";
 *
 * const tests: (() => Promise<void>)[] = [];
 * await testRevocationStore("revocations in memory", {
 *   open: () => ({ storage: createMemoryRevocationStore() }),
 *   test: (_, work) => tests.push(work), // left out in a test file
 * });
 * for (const work of tests) await work();
 * ok(tests.length > 5);
 * ```
 */
export async function testRevocationStore(
  name: string,
  options: TestStorageOptions<RevocationStore>,
): Promise<void> {
  const { test, skip } = await findRunner(options);
  let claims = false;
  await withOpened(options, (store) => Promise.resolve(void (claims = !!store.claim)));
  for (const [title, check] of Object.entries(REVOCATION_CASES)) {
    if (!claims && title.startsWith("claim()")) {
      skip(`${name}: ${title}, because it has no claim()`);
    } else {
      test(`${name}: ${title}`, () => checkOpened(options, (store) => store, check), check);
    }
  }
}
