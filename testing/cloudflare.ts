/**
 * Stands in for `cloudflare:workers` in an application that runs in process. `createTestContext`
 * puts it there; for test files that import such a module themselves, `defineTestConfig` does under
 * vitest, and a line in `deno.json` under `deno test`:
 *
 * ```json
 * { "imports": { "cloudflare:workers": "npm:@framework/testing@^0.1.0/cloudflare" } }
 * ```
 *
 * @example
 * ```ts
 * import { DurableObject } from "@framework/testing/cloudflare"; // "cloudflare:workers"
 * import { equal } from "node:assert/strict";
 *
 * class Room extends DurableObject<{ CAPACITY: number }> {
 *   isFull(guests: number): boolean {
 *     return guests >= this.env.CAPACITY;
 *   }
 * }
 * equal(new Room({}, { CAPACITY: 2 }).isFull(2), true);
 * ```
 *
 * @module
 */

export { DurableObject, RpcTarget, WorkerEntrypoint } from "./platform/classes.ts";
export { env } from "./context/scope.ts";
