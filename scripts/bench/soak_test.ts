import assert from "node:assert/strict";
import { memoryGrowth } from "./soak.ts";

const MB = 1_000_000;

Deno.test("memoryGrowth() lets a heap take its size, and then nothing more", () => {
  const settled = [20, 60, 90, 100, 101, 99, 102, 100, 103].map((size) => size * MB);
  assert.deepEqual(memoryGrowth(settled), { from: 100 * MB, to: 102 * MB, isFlat: true });
});

Deno.test("memoryGrowth() finds a leak", () => {
  const leaking = [100, 120, 140, 160, 180, 200, 220, 240, 260].map((size) => size * MB);
  assert.equal(memoryGrowth(leaking).isFlat, false);
});
