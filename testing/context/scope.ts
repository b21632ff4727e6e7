import type { DeliverMail } from "@framework/auth/convention";
import { AsyncLocalStorage } from "node:async_hooks";
import type { ExchangeHandler } from "../faults/exchanges.ts";
import type { Stored } from "../platform/stored.ts";
import type { Trace } from "../trace/trace.ts";

/** State of one request of one context; all contexts share the application. */
export interface Scope {
  /** The context's clock. */
  now(): number;
  /** The context's bindings and variables. */
  env: Record<string, unknown>;
  /** The worker's own entrypoints and objects, which "cloudflare:workers" has as `exports`. Missing for applications. */
  exports?: Record<string, unknown>;
  /** Receives work of `waitUntil` of "cloudflare:workers". */
  waitUntil?(work: Promise<unknown>): void;
  /** What `withEnv()` and `withExports()` have put in the place of what that module shows. */
  imported?: { env?: object; exports?: object };
  /** Answers outgoing requests of the application. */
  call(request: Request): Promise<Response>;
  /** Receives mails of the application. */
  deliver: DeliverMail;
  /** Unexpected errors of the application, in order. */
  failures: { push(error: unknown): unknown };
  /** Receives errors of listeners of sockets once the request has its response. Default: `failures` has them too. */
  socketFailed?(error: unknown): void;
  /** Stored responses of each cache by its name, "" for the default one. Missing where the platform has its own. */
  caches?: Stored["caches"];
  /** Events of the context. */
  trace?: Trace;
  /** Faults that the application meets. Missing for what the test itself does. */
  faults?: {
    /** Has exchanges with bindings fail. */
    exchange: ExchangeHandler;
    /** Clock and calls without faults. */
    spared: Pick<Scope, "now" | "call">;
  };
}

const KEY: unique symbol = Symbol.for("framework.test.scopes");
// On the global object: vitest loads this package by Vite, and a package that an application imports would load it
// once more by the runtime.
const shared = globalThis as { [KEY]?: AsyncLocalStorage<Scope> };
const scopes = shared[KEY] ??= new AsyncLocalStorage<Scope>();

/** Runs work on behalf of a context. */
export function runInScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Returns the scope of the current request; undefined outside of any. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/**
 * Has the code that runs now belong to no context. The next test of `deno test` may begin with the scope of work that the
 * one before it left behind.
 */
export function leaveScope(): void {
  if (scopes.getStore() !== undefined) scopes.enterWith(undefined as never);
}

/** Runs work of the test itself, such as a sign-in, which no fault concerns. */
export function runSpared<T>(work: () => T): T {
  const { faults, ...scope } = scopes.getStore()!;
  return scopes.run({ ...scope, ...faults?.spared }, work);
}

const RealDate = Date;

/** Returns the time of the machine, also where {@linkcode installScopedDate} has put another `Date`. */
export function realNow(): number {
  return RealDate.now();
}

/** Returns the current context's time; the real time outside of any context. */
export function scopedNow(): number {
  return scopes.getStore()?.now() ?? realNow();
}

/** Delivers a mail in the current context; outside of any, calls the application's own sender. */
export const scopedDeliver: DeliverMail = async (mail, send) => {
  await (scopes.getStore()?.deliver(mail, send) ?? send());
};

/** Notes an event of the library in the trace of the current context. */
export function noteEvent(event: string, fields: object = {}, isFailure: boolean = false): void {
  scopes.getStore()?.trace?.add({
    kind: "log",
    title: event,
    detail: () => JSON.stringify(fields, null, 2),
    ...(isFailure && { isFailure }),
  });
}

/** Records an unexpected error for the current context. */
export function noteFailure(error: unknown): void {
  scopes.getStore()?.failures.push(error);
}

/** Records an error of a listener of a socket for the current context. */
export function noteSocketFailure(error: unknown): void {
  (scopes.getStore()?.socketFailed ?? noteFailure)(error);
}
