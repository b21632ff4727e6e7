import type { DeliverMail } from "@framework/auth/convention";
import { AsyncLocalStorage } from "node:async_hooks";
import { TestingError } from "../errors.ts";
import type { ExchangeHandler } from "../faults/exchanges.ts";

/** State of one request of one context; all contexts share the application. */
export interface Scope {
  /** The context's clock. */
  now(): number;
  /** The context's bindings and variables. */
  env: Record<string, unknown>;
  /** Answers outgoing requests of the application. */
  call(request: Request): Promise<Response>;
  /** Receives mails of the application. */
  deliver: DeliverMail;
  /** Unexpected errors of the application, in order. */
  failures: unknown[];
  /** Faults that the application meets. Missing for what the test itself does. */
  faults?: {
    /** Has exchanges with bindings fail. */
    exchange: ExchangeHandler;
    /** Clock and calls without faults. */
    spared: Pick<Scope, "now" | "call">;
  };
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs work on behalf of a context. */
export function runInScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Returns the scope of the current request; undefined outside of any. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** Runs work of the test itself, such as a sign-in, which no fault concerns. */
export function runSpared<T>(work: () => T): T {
  const { faults, ...scope } = scopes.getStore()!;
  return scopes.run({ ...scope, ...faults?.spared }, work);
}

/** Returns the current context's time; the real time outside of any context. */
export function scopedNow(): number {
  return scopes.getStore()?.now() ?? Date.now();
}

/** Delivers a mail in the current context; outside of any, calls the application's own sender. */
export const scopedDeliver: DeliverMail = async (mail, send) => {
  await (scopes.getStore()?.deliver(mail, send) ?? send());
};

/** Records an unexpected error for the current context. */
export function noteFailure(error: unknown): void {
  scopes.getStore()?.failures.push(error);
}

/**
 * Bindings and variables of the current test context.
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
