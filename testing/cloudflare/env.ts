import { currentScope } from "../context/scope.ts";
import { TestingError } from "../errors.ts";

/**
 * The bindings and variables of the context on whose behalf the code that reads them runs.
 *
 * @example
 * ```ts
 * import { env } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { throws } from "node:assert/strict";
 *
 * // Here nobody says whose bindings are meant.
 * throws(() => env["GREETING"], { code: "NO_CONTEXT" });
 * ```
 */
export const env: Record<string, unknown> = new Proxy({}, {
  get: (_target, name) => Reflect.get(bindings(name), name),
  has: (_target, name) => Reflect.has(bindings(name), name),
  ownKeys: () => Reflect.ownKeys(bindings("…")),
  getOwnPropertyDescriptor: (_target, name) => ({
    value: Reflect.get(bindings(name), name),
    enumerable: true,
    configurable: true,
  }),
});

function bindings(name: string | symbol): Record<string, unknown> {
  const scope = currentScope();
  if (scope !== undefined) return scope.env;
  throw new TestingError(
    "NO_CONTEXT",
    `env.${
      String(name)
    } of "cloudflare:workers" was read outside of any test context. Read it in what ` +
      "answers a request of ctx.fetch(), or in ctx.runAs().",
  );
}
