import { OutsideRequestError } from "@framework/auth";
import { AsyncLocalStorage } from "node:async_hooks";
import type { RoutePath } from "./register.ts";
import type { RequestContext } from "./types.ts";

const KEY: unique symbol = Symbol.for("framework.context");
const shared = globalThis as { [KEY]?: AsyncLocalStorage<RequestContext> };

// On the global object, so that two copies of this module in one bundle share it.
const contexts: AsyncLocalStorage<RequestContext> = shared[KEY] ??= new AsyncLocalStorage();

/** Runs a function with a context; all code that it calls, also later, finds it by `getContext()`. */
export function runWithContext<T>(context: RequestContext, run: () => T): T {
  return contexts.run(context, run);
}

/**
 * Returns the context of the current request, for code that is far from the loader or route that
 * received it.
 *
 * @throws {OutsideRequestError} Outside of a request: at the top level of a module, in a queue or a cron job.
 * @example
 * ```ts
 * import { createApplication, getContext } from "@framework/cli/runtime";
 * import assert from "node:assert/strict";
 *
 * function greeting(): string {
 *   return `Hello from ${getContext().env.CITY}`;
 * }
 *
 * const { worker } = createApplication({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [{
 *     kind: "route",
 *     pattern: "/",
 *     file: "app/route.ts",
 *     module: { GET: () => greeting() },
 *     layouts: [],
 *     middleware: [],
 *   }],
 * });
 *
 * const response = await worker.fetch(new Request("http://localhost/"), { CITY: "Ghent" });
 * assert.equal(await response.json(), "Hello from Ghent");
 * ```
 */
// deno-lint-ignore no-explicit-any -- of no particular folder.
export function getContext<Path extends RoutePath = any>(): RequestContext<Path> {
  const context = contexts.getStore();
  if (context) return context;
  throw new OutsideRequestError(
    "getContext() was called outside of a request. Call it inside a loader, an action, a component, " +
      "a route or a middleware.",
  );
}
