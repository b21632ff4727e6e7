// One list of cases, run against the doubles and inside workerd, so that the two cannot drift apart.
import assert from "node:assert/strict";
import { CASES } from "../platform/fixtures/caches.ts";
import { encodeOutcome } from "../platform/fixtures/encode_outcome.ts";
import { compareWithWorkerd } from "../platform/fixtures/in_workerd.ts";
import type { PlatformCaches } from "./platform_caches.ts";
import { definePlatformGlobals } from "./platform_globals.ts";
import { runInScope, type Scope } from "./scope.ts";

const cachesOf = () => (globalThis as unknown as { caches: PlatformCaches }).caches;

function scopeOf(now: () => number): Scope {
  return {
    now,
    env: {},
    caches: new Map(),
    call: () => Promise.reject(new Error("No call is expected.")),
    deliver: () => Promise.resolve(),
    failures: [],
  };
}

Deno.test({
  name: "createCacheStorage() and createScheduler() answer every case as workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    definePlatformGlobals();
    // Not Date.now(), which a context of another test may have replaced by one that asks the scope.
    const scope = scopeOf(() => Math.round(performance.timeOrigin + performance.now()));
    await compareWithWorkerd(t, {
      file: "caches.ts",
      cases: CASES,
      double: (name) => runInScope(scope, () => encodeOutcome(CASES[name]!)),
      workerd: {},
    });
  },
});

Deno.test("createCacheStorage() stores for each context, and forgets by its clock", async () => {
  definePlatformGlobals();
  const url = "https://cache.example/";
  const cache = cachesOf().default;
  const clock = { time: 0 };
  const [one, two] = [scopeOf(() => clock.time), scopeOf(() => clock.time)];
  const response = new Response("a", { headers: { "cache-control": "max-age=60" } });
  await runInScope(one, () => cache.put(url, response));
  const read = (scope: Scope) =>
    runInScope(scope, async () => await (await cache.match(url))?.text() ?? null);
  assert.deepEqual([await read(one), await read(two)], ["a", null]);
  clock.time = 59_999;
  assert.equal(await read(one), "a");
  clock.time = 60_000;
  assert.equal(await read(one), null);
});

Deno.test("createCacheStorage() refuses its default cache outside of any context", async () => {
  definePlatformGlobals();
  await assert.rejects(cachesOf().default.match("https://cache.example/"), { code: "NO_CONTEXT" });
});
