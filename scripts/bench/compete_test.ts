import assert from "node:assert/strict";
import { compete, ratioOf, summarize } from "./compete.ts";
import { batched, carryOut } from "./contender.ts";
import type { Participant } from "./runtimes.ts";

/** A contender that takes so long for one job, without taking any time. */
function pretend(name: string, { microseconds, batch }: { microseconds: number; batch: number }) {
  const orders: number[] = [];
  const participant: Participant = {
    name,
    carryOut({ jobs }) {
      orders.push(jobs);
      return Promise.resolve({ microseconds: jobs * microseconds, batch, heap: null });
    },
  };
  return { participant, orders };
}

Deno.test("compete() gives every contender the same time in a round, and counts what one job does", async () => {
  const slow = pretend("slow", { microseconds: 500, batch: 1 });
  const quick = pretend("quick", { microseconds: 5, batch: 10 });
  const found = await compete([slow.participant, quick.participant], {
    rounds: 3,
    lanes: 4,
    milliseconds: 10,
  });
  assert.deepEqual(found.get("slow"), { microseconds: 500, noise: 0, rounds: [500, 500, 500] });
  assert.deepEqual(found.get("quick"), { microseconds: 0.5, noise: 0, rounds: [0.5, 0.5, 0.5] });
  assert.deepEqual(slow.orders.slice(-3), [20, 20, 20]);
  assert.deepEqual(quick.orders.slice(-3), [2000, 2000, 2000]);
});

Deno.test("summarize() takes the median, and half of the range between the quartiles as noise", () => {
  const { microseconds, noise } = summarize([4, 1, 3, 2, 100]);
  assert.deepEqual([microseconds, noise], [3, 1 / 3]);
});

Deno.test("ratioOf() compares within rounds, so that what made one of them slow does not count", () => {
  assert.equal(ratioOf(summarize([2, 20, 200]), summarize([1, 10, 100])), 2);
});

Deno.test("carryOut() does as many jobs as were ordered, so many at a time", async () => {
  let done = 0;
  let under = 0;
  let most = 0;
  await carryOut(async () => {
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
    done++;
  }, { jobs: 10, lanes: 4 });
  assert.deepEqual([done, most], [10, 4]);
});

Deno.test("carryOut() tells how long each job took, to whoever asks", async () => {
  const times: number[] = [];
  await carryOut(() => Promise.resolve(), { jobs: 5, lanes: 2 }, times);
  assert.equal(times.length, 5);
  assert.ok(times.every((time) => time >= 0));
});

Deno.test("batched() throws when an answer is wrong", () => {
  const job = batched(3, (turn) => turn < 2);
  assert.equal(job.batch, 3);
  assert.throws(() => job(), /wrong/);
});
