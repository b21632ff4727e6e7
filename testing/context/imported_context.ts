import { TestingError } from "../errors.ts";
import { currentScope, runInScope, type Scope } from "./scope.ts";

function scopeFor(what: string): Scope {
  const scope = currentScope();
  if (scope !== undefined) return scope;
  throw new TestingError(
    "NO_CONTEXT",
    `${what} of "cloudflare:workers" was used outside of any test context. Use it in what answers a request of ` +
      "ctx.fetch(), or in ctx.runAs().",
  );
}

function exportsFor(name: string | symbol): object {
  const { imported, exports = {} } = scopeFor(`exports.${String(name)}`);
  return imported?.exports ?? exports;
}

/**
 * The worker's own entrypoints and durable objects, for the event that is being handled.
 *
 * @example
 * ```ts
 * import { exports } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * // Here no event is handled.
 * throws(() => exports["Billing"], { code: "NO_CONTEXT" });
 * ```
 */
export const importedExports: Record<string, unknown> = new Proxy({}, {
  get: (_target, name) => Reflect.get(exportsFor(name), name),
  has: (_target, name) => Reflect.has(exportsFor(name), name),
});

/**
 * Lets work go on after the event that is being handled; `settled()` and `cleanup()` of the test context wait for it.
 *
 * @param work The work.
 * @throws {TestingError} `NO_CONTEXT` outside of any event.
 *
 * @example
 * ```ts
 * import { waitUntil } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * // Here nobody waits.
 * throws(() => waitUntil(Promise.resolve()), { code: "NO_CONTEXT" });
 * ```
 */
export function waitUntil(work: Promise<unknown>): void {
  scopeFor("waitUntil()").waitUntil?.(work);
}

function runImporting<T>(imported: NonNullable<Scope["imported"]>, work: () => T): T {
  const scope = scopeFor("withEnv()");
  return runInScope({ ...scope, imported: { ...scope.imported, ...imported } }, work);
}

/**
 * Runs a function for which `env` of "cloudflare:workers" is another one.
 *
 * @param env The bindings and variables that it shows.
 * @param work The function.
 * @returns What the function returns.
 * @throws {TestingError} `NO_CONTEXT` outside of any event.
 *
 * @example
 * ```ts
 * import { env, withEnv } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * throws(() => withEnv({ GREETING: "Hello" }, () => env["GREETING"]), { code: "NO_CONTEXT" });
 * ```
 */
export function withEnv<T>(env: object, work: () => T): T {
  return runImporting({ env }, work);
}

/**
 * Runs a function for which `exports` of "cloudflare:workers" are others.
 *
 * @param exports The entrypoints that it shows.
 * @param work The function.
 * @returns What the function returns.
 * @throws {TestingError} `NO_CONTEXT` outside of any event.
 *
 * @example
 * ```ts
 * import { withExports } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * throws(() => withExports({}, () => "Hello"), { code: "NO_CONTEXT" });
 * ```
 */
export function withExports<T>(exports: object, work: () => T): T {
  return runImporting({ exports }, work);
}

/**
 * Runs a function for which both `env` and `exports` of "cloudflare:workers" are others.
 *
 * @param env The bindings and variables that it shows.
 * @param exports The entrypoints that it shows.
 * @param work The function.
 * @returns What the function returns.
 * @throws {TestingError} `NO_CONTEXT` outside of any event.
 *
 * @example
 * ```ts
 * import { withEnvAndExports } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * throws(() => withEnvAndExports({}, {}, () => "Hello"), { code: "NO_CONTEXT" });
 * ```
 */
export function withEnvAndExports<T>(env: object, exports: object, work: () => T): T {
  return runImporting({ env, exports }, work);
}
