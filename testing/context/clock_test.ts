import assert from "node:assert/strict";
import { createClock, parseDuration } from "./clock.ts";

Deno.test("createClock() stands still until it is advanced", () => {
  const clock = createClock(1000);
  assert.equal(clock.now(), 1000);
  clock.advance(500);
  clock.advance("2s");
  assert.equal(clock.now(), 3500);
});

Deno.test("parseDuration() reads units and sums of them", () => {
  assert.equal(parseDuration("500ms"), 500);
  assert.equal(parseDuration("1h 30m"), 5_400_000);
  assert.equal(parseDuration("1h30m"), 5_400_000);
  assert.equal(parseDuration("30d"), 30 * 86_400_000);
  assert.equal(parseDuration("0.5w"), 3.5 * 86_400_000);
});

Deno.test("createClock() refuses what is no duration, and going back", () => {
  const clock = createClock(0);
  for (const wrong of ["", "30", "d", "3 fortnights", "1h x", -1, NaN, Infinity]) {
    assert.throws(() => clock.advance(wrong), { code: "INVALID_DURATION" }, String(wrong));
  }
  assert.equal(clock.now(), 0);
});
