import { createRpcStub, isRpcStub } from "./durable_object_rpc.ts";

/**
 * Stub of an `RpcTarget` or a function of this worker, which is called as if it were elsewhere: values are copied, and each
 * method returns a promise.
 *
 * @example
 * ```ts
 * import { RpcStub, RpcTarget } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { equal } from "node:assert/strict";
 *
 * class Cursor extends RpcTarget {
 *   #position = 0;
 *   next(): number {
 *     return ++this.#position;
 *   }
 * }
 * const stub = new RpcStub(new Cursor()) as unknown as { next(): Promise<number> };
 * equal(await stub.next(), 1);
 * ```
 */
export class RpcStub {
  /**
   * Creates the stub.
   *
   * @param target An instance of a class that extends `RpcTarget`, or a function.
   */
  constructor(target: object) {
    return createRpcStub(target) as RpcStub;
  }

  /** Returns true for every stub, also for those that calls return. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && isRpcStub(value);
  }
}
