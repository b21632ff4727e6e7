import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundleEntries } from "../support/bundle.ts";

/** Returns a response of a worker with these flags: one file, as it is deployed. */
async function answerWith(flags: string[]): Promise<unknown> {
  const entry = fileURLToPath(new URL("./hashing_worker.ts", import.meta.url));
  const files = await bundleEntries([entry], { minify: true });
  assert.equal(files.length, 1);
  const { text } = files[0]!;
  // Not at the start: that would be milliseconds for workers that hash nothing.
  assert.doesNotMatch(text, /from\s*"node:crypto"/);
  assert.match(text, /import\("node:crypto"\)/);
  const miniflare = new Miniflare({
    modules: [{ type: "ESModule", path: "worker.mjs", contents: text }],
    modulesRoot: "/",
    compatibilityDate: "2026-07-01",
    compatibilityFlags: flags,
  });
  try {
    return await (await miniflare.dispatchFetch("https://app.example/")).json();
  } finally {
    await miniflare.dispose();
  }
}

Deno.test({
  name: "hashPassword() loads node:crypto in workers when it is first called",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => assert.deepEqual(await answerWith(["nodejs_compat"]), [true, false]),
});

Deno.test({
  name: "hashPassword() says which flag a worker lacks that has no node:crypto",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () =>
    assert.deepEqual(await answerWith(["nodejs_als"]), {
      name: "ConfigurationError",
      code: "CONFIGURATION",
      field: "compatibility_flags",
    }),
});
