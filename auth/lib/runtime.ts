/**
 * The platform that work runs on, and the request that it runs in.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** The part of a request that hashing and databases use: they stand below whatever knows sessions. */
export interface RunningRequest {
  /** The request. */
  request: Request;
  /** Takes work that the response does not wait for. */
  waitUntil(work: Promise<unknown>): void;
  /** Cookies of the response, closed once its headers have gone. */
  cookiesOut: { readonly isOpen: boolean };
  /** The session. A store without one is another program's. */
  auth: object;
  /** The client's address; null when nobody knows it. Default: nobody does. */
  address?(): string | null;
}

const KEY: unique symbol = Symbol.for("framework.request");
const shared = globalThis as { [KEY]?: AsyncLocalStorage<RunningRequest> };

// On the global object, so that two copies of this module in one bundle speak of the same request.
const requests: AsyncLocalStorage<RunningRequest> = shared[KEY] ??= new AsyncLocalStorage();

/** Runs a function with a request; everything that it calls, also later, finds the request. */
export function runWithRequest<T>(running: RunningRequest, run: () => T): T {
  return requests.run(running, run);
}

/** The request in which the caller runs, or undefined. */
export function findRunningRequest(): RunningRequest | undefined {
  const running = requests.getStore();
  return running?.auth === undefined ? undefined : running;
}

/**
 * Aborts when the client hangs up. Undefined outside of a request, and for work that goes on after the
 * response, which some platforms abort as soon as the response has been sent.
 */
export function clientSignal(): AbortSignal | undefined {
  const running = findRunningRequest();
  return running?.cookiesOut.isOpen ? running.request.signal : undefined;
}

/** True on workerd, where a request reaches a worker only under a host that was routed to it. */
export function isWorkerPlatform(): boolean {
  return typeof navigator === "object" && navigator.userAgent === "Cloudflare-Workers";
}

/** Variables of the process's environment; none where there is no process. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as {
    process?: { env?: Record<string, string | undefined> };
  };
  return process?.env ?? {};
}

/**
 * Returns the mode of the process: "development" or "production" by `NODE_ENV` alone, which whoever starts it sets.
 * Nothing that a client sends has a part in it. "unsaid" is a server without `NODE_ENV`; a worker without is in
 * production.
 */
export function runMode(): "development" | "production" | "unsaid" {
  const mode = processEnvironment().NODE_ENV;
  if (mode === "development") return mode;
  return mode === "production" || isWorkerPlatform() ? "production" : "unsaid";
}
