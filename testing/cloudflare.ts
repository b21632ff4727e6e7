/**
 * Stands in for `cloudflare:workers` in an application that runs in process. `createTestContext`
 * installs it. For test files that import such a module themselves, `defineTestConfig` installs it
 * under vitest; `deno test` needs a line in `deno.json`:
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

export {
  DurableObject,
  RpcTarget,
  WorkerEntrypoint,
  WorkflowEntrypoint,
} from "./platform/cloudflare_workers.ts";
export { RpcStub } from "./platform/rpc_stub.ts";
export { env } from "./context/imported_env.ts";
export {
  importedExports as exports,
  waitUntil,
  withEnv,
  withEnvAndExports,
  withExports,
} from "./context/imported_context.ts";
