import { AsyncLocalStorage } from "node:async_hooks";

/** What belongs to one request of one context, while all contexts share the application. */
export interface Scope {
  /** The context's clock. */
  now(): number;
  /** Unexpected errors of the application, in the order in which it met them. */
  failures: unknown[];
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs work on behalf of a context. */
export function runInScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}

/** The time of the context on whose behalf code runs; the real time outside of any. */
export function scopedNow(): number {
  return scopes.getStore()?.now() ?? Date.now();
}

/** Notes an unexpected error for the context on whose behalf code runs. */
export function noteFailure(error: unknown): void {
  scopes.getStore()?.failures.push(error);
}
