import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { bundleWorker } from "./bundle_worker.ts";

// Tracks: R047, R059
Deno.test({
  name:
    "in workerd each question to a key gets its own answer, also from requests that come together",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const miniflare = new Miniflare({
      modules: true,
      script: await bundleWorker(new URL("./text_key_worker.ts", import.meta.url)),
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
    });
    try {
      await miniflare.ready;
      const answers = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const response = await miniflare.dispatchFetch("http://localhost/");
          return await response.json();
        }),
      );
      assert.deepEqual(answers, Array(4).fill({ asked: 200, wrong: [] }));
    } finally {
      await miniflare.dispose();
    }
  },
});
