import { createEnvironment } from "../bindings/environment.ts";
import type { TestApplication } from "./application.ts";
import { createBackground } from "./background.ts";
import type { Engine, ScopeParts } from "./engine.ts";
import { runInScope } from "./scope.ts";

/** What the engine is made of. */
export interface ProcessEngineOptions {
  /** What the test passes as bindings and variables. */
  overrides: Record<string, unknown>;
  /** What belongs to the context. */
  scope: ScopeParts;
  /** Called before each use of a binding; throws when the context has ended. */
  guard(): void;
}

/** Runs the application in this process, over doubles of its bindings. */
export function createProcessEngine(app: TestApplication, options: ProcessEngineOptions): Engine {
  const { overrides, scope: parts, guard } = options;
  const { env, close } = createEnvironment({ ...app, overrides, now: parts.now, guard });
  const background = createBackground();
  // What fails after the response: in its stream, or in background work that goes on without.
  const late: unknown[] = [];

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const scope = { ...parts, failures: [] as unknown[] };
    const result = await runInScope(scope, work);
    if (scope.failures.length > 0) throw scope.failures[0];
    scope.failures = late;
    return result;
  }

  return {
    env,
    auth: app.application.auth,
    database: app.config.database,
    run,
    fetch: (request) =>
      run(() => app.application.worker.fetch(request, env, { waitUntil: background.add })),
    async settle() {
      await background.settle();
      if (late.length > 0) throw late.shift();
    },
    close,
  };
}
