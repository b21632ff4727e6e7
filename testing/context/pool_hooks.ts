// Runs inside of workerd, in the bundle that the configuration asks for: nothing but types may be imported from
// this package or another one.
import type { Application, ApplicationOptions, createApplication } from "@framework/cli/runtime";

/** Global key through which the worker and the tests find each other; the pool runs both in one isolate. */
export const POOL_KEY = "framework.test.pool";

/** State that the pool's hooks share. */
export interface Pool {
  /** Application of the worker. */
  application?: Application;
  /** Options of the test. */
  options?: ApplicationOptions;
}

/**
 * Creates the application with the test's clock and mails, and exposes it to the test.
 *
 * @param create Function that creates the application, as the generated entry imports it.
 * @returns A function of the same type for that entry; the test finds the application it creates.
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
