// One list of cases, run against the double and against the platform's own KV in workerd, so that
// the two cannot drift apart. Expiry itself is tested on the double alone, by its clock.
import assert from "node:assert/strict";
import { createKvNamespace } from "./kv.ts";
import { CASES, outcome } from "./fixtures/kv_cases.ts";
import { answerInWorkerd } from "./fixtures/in_workerd.ts";

Deno.test("createKvNamespace() answers every conformance case", async (t) => {
  for (const [name, work, expected] of CASES) {
    await t.step(name, async () => {
      const kv = createKvNamespace({ now: () => Date.now() });
      assert.deepEqual(await outcome(() => work(kv)), expected);
    });
  }
});

Deno.test({
  name: "KV in workerd answers every conformance case",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    await answerInWorkerd(t, {
      file: "kv_cases.ts",
      cases: { CASES },
      workerd: (kvNamespaces) => ({ kvNamespaces }),
    });
  },
});

Deno.test("createKvNamespace() lets entries expire by the clock", async () => {
  let now = 1_000_000;
  const kv = createKvNamespace({ now: () => now });
  await kv.put("ttl", "1", { expirationTtl: 60 });
  await kv.put("at", "1", { expiration: 1120 });
  now += 59_999;
  assert.equal(await kv.get("ttl"), "1");
  now += 1;
  assert.equal(await kv.get("ttl"), null);
  assert.deepEqual((await kv.list()).keys.map((key) => key.name), ["at"]);
  now += 60_000;
  assert.deepEqual((await kv.list()).keys, []);
});
