/**
 * Faults of what an application is given by its test: a storage that is slow, down, stale or loses its answer, a network
 * that fails, and a clock that differs. In a test context, `ctx.faults()` has them for bindings.
 *
 * @example
 * ```ts
 * import { createFaultDoubles } from "@framework/testing/faults";
 * import assert from "node:assert/strict";
 *
 * const notes = new Map<string, string>();
 * const store = {
 *   add: async (id: string, text: string) => void notes.set(id, text),
 * };
 *
 * const faults = createFaultDoubles();
 * const faulty = faults.storage("notes", store);
 * using _ = faults.begin({ storage: "answer lost", times: 1 });
 * await assert.rejects(faulty.add("1", "Milk"));
 * assert.equal(notes.size, 1); // the work was done
 * ```
 *
 * @module
 */

export {
  createFaultDoubles,
  type FaultDoubles,
  type FaultyStorageOptions,
} from "./faults/fault_doubles.ts";
export type { FaultOptions, Faults, NetworkFault, StorageFault } from "./faults/faults.ts";
