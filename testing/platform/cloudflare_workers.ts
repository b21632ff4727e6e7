import type { DurableObjectState } from "@framework/cli/runtime";

// A registered symbol, which all copies of this module share: a test runner may load the package twice.
const BRAND: unique symbol = Symbol.for("framework.test.rpc");

/** Marks a class whose instances may be called remotely. */
export function markRpcTarget(type: { prototype: object }): void {
  Object.defineProperty(type.prototype, BRAND, { value: true });
}

/** Returns true for an instance of a class that may be called remotely. */
export function isRpcTarget(value: object): boolean {
  return BRAND in value;
}

/**
 * Base class of durable objects whose methods can be called through their stubs.
 *
 * @example
 * ```ts
 * import { DurableObject } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { equal } from "node:assert/strict";
 *
 * class Counter extends DurableObject<{ STEP: number }> {
 *   next(count: number): number {
 *     return count + this.env.STEP;
 *   }
 * }
 * equal(new Counter({}, { STEP: 2 }).next(1), 3);
 * ```
 */
export class DurableObject<Env = unknown> {
  /** The object's state: storage, alarms and sockets. */
  readonly ctx: DurableObjectState;
  /** The bindings and variables of the worker. */
  readonly env: Env;

  /**
   * Called by the platform, and by the double of a namespace.
   *
   * @param ctx The object's state, with its storage.
   * @param env The bindings and variables of the worker.
   */
  constructor(ctx: unknown, env: Env) {
    this.ctx = ctx as DurableObjectState;
    this.env = env;
  }
}

/**
 * Base class of objects that are passed by reference: passed to a stub or returned by one, they
 * stay where they were created, and their methods are called there.
 *
 * @example
 * ```ts
 * import { RpcTarget } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { equal } from "node:assert/strict";
 *
 * class Cursor extends RpcTarget {
 *   #position = 0;
 *   next(): number {
 *     return ++this.#position;
 *   }
 * }
 * equal(new Cursor().next(), 1);
 * ```
 */
export class RpcTarget {}

/**
 * Base class of a worker's named entrypoints, which other workers call by a service binding.
 *
 * @example
 * ```ts
 * import { WorkerEntrypoint } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { equal } from "node:assert/strict";
 *
 * class Prices extends WorkerEntrypoint<{ CURRENCY: string }> {
 *   format(amount: number): string {
 *     return `${amount.toFixed(2)} ${this.env.CURRENCY}`;
 *   }
 * }
 * equal(new Prices({}, { CURRENCY: "EUR" }).format(5), "5.00 EUR");
 * ```
 */
export class WorkerEntrypoint<Env = unknown> {
  /** Execution context of the request. */
  readonly ctx: unknown;
  /** The bindings and variables of the worker. */
  readonly env: Env;

  /**
   * Called by the platform for each call.
   *
   * @param ctx Execution context with `waitUntil`.
   * @param env The bindings and variables of the worker.
   */
  constructor(ctx: unknown, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

/**
 * Base class of workflows.
 *
 * @example
 * ```ts
 * import { WorkflowEntrypoint } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { equal } from "node:assert/strict";
 *
 * class Greeting extends WorkflowEntrypoint<{ WORD: string }> {
 *   run(event: { payload: { name: string } }): string {
 *     return `${this.env.WORD} ${event.payload.name}`;
 *   }
 * }
 * equal(new Greeting({}, { WORD: "Hello" }).run({ payload: { name: "Ada" } }), "Hello Ada");
 * ```
 */
export class WorkflowEntrypoint<Env = unknown> {
  /** Execution context of the instance. */
  readonly ctx: unknown;
  /** The bindings and variables of the worker. */
  readonly env: Env;

  /**
   * Called by the platform for each run of an instance.
   *
   * @param ctx Execution context with `waitUntil`.
   * @param env The bindings and variables of the worker.
   */
  constructor(ctx: unknown, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

markRpcTarget(DurableObject);
markRpcTarget(RpcTarget);
markRpcTarget(WorkerEntrypoint);
