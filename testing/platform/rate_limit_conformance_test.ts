// One list of cases, run against the double and inside workerd, so that the two cannot drift apart.
import assert from "node:assert/strict";
import { createRateLimit } from "./rate_limit.ts";
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { compareWithWorkerd } from "./fixtures/in_workerd.ts";
import { CASES } from "./fixtures/rate_limits.ts";

Deno.test({
  name: "createRateLimit() answers every case as the binding of workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const env = { LIMIT: createRateLimit({ now: () => 5, limit: 2, period: 60 }) };
    await compareWithWorkerd(t, {
      file: "rate_limits.ts",
      cases: CASES,
      double: (name) => encodeOutcome(() => CASES[name]!(env)),
      workerd: { ratelimits: { LIMIT: { "namespace_id": "1", simple: { limit: 2, period: 60 } } } },
    });
  },
});

Deno.test("createRateLimit() begins anew with each period of the clock", async () => {
  const clock = { time: 0 };
  const { limit } = createRateLimit({ now: () => clock.time, limit: 1, period: 10 });
  const results = [];
  for (const time of [0, 9_999, 10_000, 10_001]) {
    clock.time = time;
    results.push((await limit({ key: "ada" })).success);
  }
  assert.deepEqual(results, [true, false, true, false]);
});
