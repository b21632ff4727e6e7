import assert from "node:assert/strict";
import { OverloadedError } from "../errors/input_errors.ts";
import { createWorkQueue } from "./work_queue.ts";

// Tracks: R015
Deno.test("createWorkQueue() runs no more tasks at once than it may, and all of them", async () => {
  const queue = createWorkQueue({ concurrency: 2, maxWaiting: 50 });
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const tasks = Array.from({ length: 20 }, (_, index) =>
    queue(async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      await Promise.resolve();
      running--;
      order.push(index);
      return index;
    }));
  assert.deepEqual(await Promise.all(tasks), Array.from({ length: 20 }, (_, index) => index));
  assert.equal(most, 2);
  assert.deepEqual(order, order.toSorted((a, b) => a - b));
});

// Tracks: R015
Deno.test("createWorkQueue() refuses who comes when the queue is full, and recovers", async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 1 });
  const gate = Promise.withResolvers<void>();
  const first = queue(() => gate.promise);
  const second = queue(() => Promise.resolve("second"));
  await assert.rejects(
    queue(() => Promise.resolve()),
    (error) => error instanceof OverloadedError && error.status === 503,
  );
  gate.resolve();
  await first;
  assert.equal(await second, "second");
  assert.equal(await queue(() => Promise.resolve("third")), "third");
});

Deno.test("createWorkQueue() frees the place of a task that throws", async () => {
  const queue = createWorkQueue({ concurrency: 1, maxWaiting: 1 });
  await assert.rejects(queue(() => Promise.reject(new Error("broken"))), /broken/);
  assert.equal(await queue(() => Promise.resolve("next")), "next");
});
