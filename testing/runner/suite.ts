/** Function passed to a hook; a function that it returns is called at the end. */
export type Hook = () => unknown;

/** Event at which a hook runs. */
export type HookKind = "beforeAll" | "beforeEach" | "afterEach" | "afterAll";

/** A `describe` block, or the file itself. */
export interface Suite {
  name: string;
  parent: Suite | null;
  mode: "run" | "skip" | "only";
  hooks: Record<HookKind, Hook[]>;
  /** Tests in the block and below: all that run, those marked `only`, those that have finished. */
  counts: { all: number; only: number; finished: number };
  /** Single run of the `beforeAll` hooks, which every test of the block awaits. */
  setUp: Promise<void> | null;
  /** Functions that `beforeAll` hooks returned. */
  cleanups: Hook[];
}

/** Creates a suite; `parent` is null for the file. */
export function createSuite(name: string, parent: Suite | null, mode: Suite["mode"]): Suite {
  return {
    name,
    parent,
    // The surrounding block decides: nothing runs in a skipped block, everything in an `only` block.
    mode: parent === null || parent.mode === "run" || mode === "skip" ? mode : parent.mode,
    hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
    counts: { all: 0, only: 0, finished: 0 },
    setUp: null,
    cleanups: [],
  };
}

/** Returns the suite and its ancestors, outermost first. */
export function lineage(suite: Suite): Suite[] {
  return suite.parent === null ? [suite] : [...lineage(suite.parent), suite];
}

/** Runs the body between the hooks of the suites and returns all errors. */
export async function runInSuites(
  suites: Suite[],
  body: () => Promise<void>,
  options: { only: boolean },
): Promise<unknown[]> {
  const errors: unknown[] = [];
  const collect = async (work: Hook) => {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  };
  await collect(async () => {
    for (const suite of suites) await (suite.setUp ??= setUpSuite(suite));
    const cleanups: Hook[] = [];
    await collect(async () => {
      for (const suite of suites) await runHooks(suite.hooks.beforeEach, cleanups);
      await body();
    });
    for (const suite of suites.toReversed()) {
      for (const hook of suite.hooks.afterEach.toReversed()) await collect(hook);
    }
    for (const cleanup of cleanups.toReversed()) await collect(cleanup);
  });
  for (const suite of suites.toReversed()) {
    suite.counts.finished++;
    if (suite.counts.finished !== (options.only ? suite.counts.only : suite.counts.all)) continue;
    const last = [...suite.cleanups, ...suite.hooks.afterAll].toReversed();
    for (const hook of last) await collect(hook);
  }
  return errors;
}

function setUpSuite(suite: Suite): Promise<void> {
  return runHooks(suite.hooks.beforeAll, suite.cleanups);
}

async function runHooks(hooks: Hook[], cleanups: Hook[]): Promise<void> {
  for (const hook of hooks) {
    const result = await hook();
    if (typeof result === "function") cleanups.push(result as Hook);
  }
}
