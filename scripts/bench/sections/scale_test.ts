import assert from "node:assert/strict";
import type { Participant } from "../runtimes.ts";
import { measureQuantiles } from "./scale.ts";

Deno.test("measureQuantiles() gives half and 99 of 100, and every round as many jobs as fill its time", async () => {
  const orders: number[] = [];
  const participant: Participant = {
    name: "it",
    carryOut({ jobs, each }) {
      orders.push(jobs);
      assert.equal(each, true);
      const times = Array.from({ length: jobs }, (_, index) => index === 0 ? 5000 : 100);
      return Promise.resolve({ microseconds: 0, batch: 1, heap: null, times });
    },
  };
  const found = await measureQuantiles([participant], { rounds: 3, milliseconds: 5 });
  assert.deepEqual(found.get("it")!.half.rounds, [100, 100, 100]);
  assert.deepEqual(found.get("it")!.most.rounds, [5000, 5000, 5000]);
  assert.deepEqual(orders.slice(-4), [50, 50, 50, 50]);
});
