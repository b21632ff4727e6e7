/**
 * The platform that work runs on with what it has of its own, and the request that it runs in.
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
  /** Logs an error under the name of the request. Default: the store is another program's, and logs nothing. */
  error?(event: string, fields: Record<string, unknown>): void;
  /** True while an answer is made that is kept for everybody: nobody finds this request then. Default: false. */
  isShared?: boolean;
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
  return running?.auth === undefined || running.isShared ? undefined : running;
}

/** Work behind the responses of this process, for all copies of this module. */
function workBehind(): Set<Promise<unknown>> {
  const all = globalThis as { [key: symbol]: Set<Promise<unknown>> | undefined };
  return all[Symbol.for("framework.behind")] ??= new Set();
}

/**
 * Takes work that no response waits for, and has {@linkcode settled} wait for it: the `waitUntil` of servers, whose
 * platform has none. `nodeAuth()`, `honoAuth()` and `svelteKitAuth()` give it to the library themselves; give it to
 * `auth.handle()`, `auth.run()` and `auth.fetch()` where you call them, and use it for such work of your own.
 *
 * On workers it does nothing: theirs is `waitUntil` of the execution context.
 *
 * @param work What goes on. A rejection is nobody's, as without this function: handle it yourself.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getUser, waitUntil } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const next = () => Response.json(getUser());
 * const response = await auth.fetch(new Request("http://localhost/"), {}, { waitUntil, next });
 * equal(await response.json(), null);
 * ```
 */
export function waitUntil(work: Promise<unknown>): void {
  // What a worker cuts off never ends, and would stay here for good.
  if (isWorkerPlatform()) return;
  const behind = workBehind();
  behind.add(work);
  work.finally(() => behind.delete(work));
}

/**
 * Waits until all work behind the responses of this process has ended, whatever of it began meanwhile too: mails, events,
 * the deletion of expired rows, and what {@linkcode waitUntil} was given. For servers of Node and Deno that are told to
 * end: call it when the last response has been sent, and before the pool of the database ends.
 *
 * It has no limit of time: a mail service that never answers is waited for until the process is killed.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, settled, waitUntil } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const told: string[] = [];
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   events: {
 *     async "sign-up"({ userId }) {
 *       await new Promise((resolve) => setTimeout(resolve, 10));
 *       told.push(userId);
 *     },
 *   },
 * });
 * await auth.run(new Request("http://localhost/"), {}, { waitUntil }, async () => {
 *   await createUser({ id: "ada" });
 *   return new Response();
 * });
 * deepEqual(told, []);
 * await settled();
 * deepEqual(told, ["ada"]);
 * ```
 */
export async function settled(): Promise<void> {
  const behind = workBehind();
  while (behind.size > 0) await Promise.allSettled(behind);
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

/**
 * True where a request reaches the application only under a host that is its own: on workerd, and behind the server of
 * `framework build --target`, which refuses every other one.
 */
export function isRoutedByHost(): boolean {
  const all = globalThis as { [key: symbol]: unknown };
  return isWorkerPlatform() || all[Symbol.for("framework.routed")] === true;
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

/** A cipher of `node:crypto` that authenticates. */
interface NodeCipher {
  setAAD(data: Uint8Array): unknown;
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

/** The functions of `node:crypto` that answer at once. */
export interface NodeCrypto {
  /** Computes SHA-256 of bytes, or of a text's UTF-8 (Node 20.12, Deno, Bun). */
  hash(name: "sha256", message: string | Uint8Array, encoding: "base64url" | "latin1"): string;
  /** Encrypts. */
  createCipheriv(
    name: "aes-256-gcm",
    key: Uint8Array,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): NodeCipher & { getAuthTag(): Uint8Array };
  /** Decrypts; `final()` throws for what was not encrypted like this. */
  createDecipheriv(
    name: "aes-256-gcm",
    key: Uint8Array,
    iv: Uint8Array,
    options: { authTagLength: number },
  ): NodeCipher & { setAuthTag(tag: Uint8Array): unknown };
}

// Looked for when it is first needed: to load it takes milliseconds.
let found: Partial<NodeCrypto> | undefined;

/**
 * `node:crypto` where its synchronous functions are the fastest there are: on Node, Deno and Bun a call of WebCrypto
 * costs up to ten times as much. None in workers, which would load it longer than all the rest.
 */
export function nodeCrypto(): Partial<NodeCrypto> | undefined {
  // Without an import, which bundlers for browsers and workers would stumble over.
  const platform = globalThis as {
    process?: { getBuiltinModule?(name: string): Partial<NodeCrypto> };
  };
  if (isWorkerPlatform()) return undefined;
  return found ??= platform.process?.getBuiltinModule?.("node:crypto");
}
