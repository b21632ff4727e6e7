// Runs inside of workerd, in the bundle that the configuration asks for: nothing but types may be imported from
// this package or another one.
import type { Application, ApplicationOptions, createApplication } from "@framework/cli/runtime";

/** By what the worker and the tests, which the pool runs in one isolate, find each other. */
export const POOL_KEY = "framework.test.pool";

/** State that the pool's hooks share. */
export interface Pool {
  /** The worker's. */
  application?: Application;
  /** The test's. */
  options?: ApplicationOptions;
}

/**
 * Makes the application with the time and the mails of the test, and lets the test have it.
 *
 * @param create The function that makes it, as the generated entry imports it.
 * @returns The same function for that entry, whose application the test finds.
 *
 * @example
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { wrapApplication } from "@framework/testing/pool";
 * import { equal } from "node:assert/strict";
 *
 * const { worker } = wrapApplication(createApplication)({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [],
 * });
 * equal((await worker.fetch(new Request("http://localhost/"), {})).status, 404);
 * ```
 */
export function wrapApplication(create: typeof createApplication): typeof createApplication {
  return (manifest, options) => {
    const shared = globalThis as Record<symbol, Pool | undefined>;
    const pool: Pool = shared[Symbol.for(POOL_KEY)] ??= {};
    const application = create(manifest, {
      ...options,
      now: () => pool.options?.now?.() ?? Date.now(),
      deliver: (mail, send) => pool.options?.deliver?.(mail, send) ?? send(),
      onError: (...about) => pool.options?.onError?.(...about),
      logger: { info: () => {}, warn: () => {}, error: () => {} },
    });
    pool.application = application;
    return application;
  };
}
