import assert from "node:assert/strict";
import { createPatience } from "./server_database.ts";

// Tracks: OP-03
Deno.test("createPatience() counts all waiting of a request, at the same time once, and gives back what it did not wait", () => {
  let now = 0;
  const patience = createPatience(10_000, () => now);
  patience.begin();
  now += 3000;
  patience.begin();
  now += 3000;
  assert.equal(patience.left(), 4000);
  patience.end();
  patience.end();
  assert.equal(patience.left(), 4000);
  now += 1000;
  patience.begin();
  assert.equal(patience.left(), 5000);
  now += 5000;
  assert.equal(patience.left(), 0);
  patience.end();
  // A stream that asks every second for hours.
  for (let second = 0; second < 10_000; second++) {
    now += 990;
    patience.begin();
    now += 10;
    assert.ok(patience.left() > -1);
    patience.end();
  }
  assert.equal(patience.left(), 9990);
});
