import { replaceBindings } from "../faults/exchanges.ts";
import { createFaults } from "../faults/faults.ts";
import { createEnvironment, type Environment } from "../platform/environment.ts";
import { copyStored, readStored, type Stored } from "../platform/stored.ts";
import type { TestApplication } from "./application.ts";
import { createBackground } from "./background.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import { currentScope, runInScope, type Scope } from "./scope.ts";

/** Parts of the engine. */
export interface ProcessEngineOptions {
  /** Bindings and variables that the test passes. */
  overrides: Record<string, unknown>;
  /** Parts that belong to the context. */
  scope: ScopeParts;
  /** Called before each use of a binding; throws when the context has ended. */
  guard(): void;
  /** Data to begin with. Default: migrated databases, and nothing else. */
  stored?: Stored;
}

/** Runs the application in this process, over doubles of its bindings. */
export function createProcessEngine(app: TestApplication, options: ProcessEngineOptions): Engine {
  const { overrides, scope: parts, guard } = options;
  const background = createBackground((error) => faults.isCause(error));
  // Failures after the response: in its stream, in background work, or in an alarm.
  const late: unknown[] = [];
  let waking: Promise<void> | undefined;
  const environment = {
    ...app,
    overrides,
    now: parts.now,
    guard,
    run,
    waitUntil: background.add,
    failed: (error: unknown) => void late.push(error),
  };
  const { env, stored, wake, close } = createEnvironment({
    ...environment,
    ...(options.stored === undefined ? {} : { stored: options.stored }),
  });
  const old: Environment[] = [];
  const faults = createFaults({
    bindings: replaceBindings(env, {
      platform: app.platform,
      given: overrides,
      current: () => currentScope()?.faults?.exchange,
    }),
    copy() {
      const made = createEnvironment({ ...environment, stored: copyStored(stored) });
      old.push(made);
      return made.env;
    },
  });

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const scope: Scope = {
      ...parts,
      now: () => parts.now() + faults.skew(),
      call: (request) => faults.call(() => parts.call(request)),
      faults: { exchange: faults.exchange, spared: { now: parts.now, call: parts.call } },
      env,
      failures: [],
    };
    const result = await runInScope(scope, work);
    // The visitor sees what comes of a fault, and so does the test.
    const failures = scope.failures.filter((error) => !faults.isCause(error));
    if (failures.length > 0) throw failures[0];
    scope.failures = late;
    return result;
  }

  function throwLate(): void {
    const [first, ...others] = late.splice(0).filter((error) => !faults.isCause(error));
    if (others.length > 0) throw new AggregateError([first, ...others], String(first));
    if (first !== undefined) throw first;
  }

  return {
    env,
    auth: app.application.auth,
    application: app,
    database: app.config.database,
    run,
    async fetch(request) {
      // Alarms that are due run before the next request.
      await waking;
      return await run(() =>
        app.application.worker.fetch(request, env, { waitUntil: background.add })
      );
    },
    wake() {
      const woken = wake();
      waking = woken.finally(() => {
        waking = undefined;
      });
      return { then: (done, failed) => woken.then(throwLate).then(done, failed) };
    },
    async settle() {
      await waking;
      await background.settle();
      throwLate();
    },
    fork: (scope) =>
      createProcessEngine(app, { overrides, guard, scope, stored: copyStored(stored) }),
    read: () => readStored(stored, parts.now()),
    faults: faults.begin,
    close() {
      for (const each of [...old, { close }]) each.close();
    },
  };
}
