import assert from "node:assert/strict";
import { createPace } from "./request.ts";

// Tracks: R022
Deno.test("wait() lasts about as long as the work that was measured", async () => {
  const clock = { now: 0 };
  const waited: number[] = [];
  const pace = createPace(() => clock.now, (milliseconds) => {
    waited.push(milliseconds);
    return Promise.resolve();
  });
  await pace.wait();
  for (const taken of [100, 200]) {
    await pace.measure(() => Promise.resolve(void (clock.now += taken)));
    await pace.wait();
  }
  assert.deepEqual(waited, [0, 100, 120]);
});
