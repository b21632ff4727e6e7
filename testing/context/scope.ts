import type { DeliverMail } from "@framework/auth/convention";
import { AsyncLocalStorage } from "node:async_hooks";
import { TestingError } from "../errors.ts";

/** State of one request of one context, while all contexts share the application. */
export interface Scope {
  /** The context's clock. */
  now(): number;
  /** The context's bindings and variables. */
  env: Record<string, unknown>;
  /** Answers what the application asks of others. */
  call(request: Request): Promise<Response>;
  /** Takes what the application mails. */
  deliver: DeliverMail;
  /** Unexpected errors of the application, in the order in which it met them. */
  failures: unknown[];
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs work on behalf of a context. */
export function runInScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}

/** The context on whose behalf code runs, as far as it concerns a request; undefined outside of any. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** The time of the context on whose behalf code runs; the real time outside of any. */
export function scopedNow(): number {
  return scopes.getStore()?.now() ?? Date.now();
}

/** Delivers a mail in the context on whose behalf code runs; outside of any as the application does. */
export const scopedDeliver: DeliverMail = async (mail, send) => {
  await (scopes.getStore()?.deliver(mail, send) ?? send());
};

/** Notes an unexpected error for the context on whose behalf code runs. */
export function noteFailure(error: unknown): void {
  scopes.getStore()?.failures.push(error);
}

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
