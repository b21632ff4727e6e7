// One list of cases, run against the double and against the platform's own KV in workerd, so that
// the two cannot drift apart. Expiry itself is tested on the double alone, by its clock.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import type { KvNamespace } from "@framework/cli/testing";
import { createKvNamespace } from "./kv.ts";
import { CASES, outcome } from "./fixtures/kv_cases.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

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
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch: () => new Response() }",
      compatibilityDate: "2026-08-01",
      kvNamespaces: CASES.map((_, index) => `KV${index}`),
    });
    try {
      for (const [index, [name, work, expected]] of CASES.entries()) {
        await t.step(name, async () => {
          const kv = await miniflare.getKVNamespace(`KV${index}`) as unknown as KvNamespace;
          assert.deepEqual(await outcome(() => work(kv)), expected);
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
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
