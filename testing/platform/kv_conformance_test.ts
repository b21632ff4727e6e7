// One list of cases, run against the double and against the platform's own KV in workerd, so that
// the two cannot drift apart. Expiry itself is tested on the double alone, by its clock.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { createKvNamespace, type KvNamespaceDouble } from "./kv.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

type Case = [name: string, run: (kv: KvNamespaceDouble) => unknown, expected: unknown];

const FUTURE = 2_000_000_000;
const SOON = Math.floor(Date.now() / 1000) + 40;
const failed = (message: string) => ({ error: message });

const CASES: Case[] = [
  ["get() of nothing", (kv) => kv.get("none"), null],
  ["text", async (kv) => {
    await kv.put("a", "Ünï");
    return kv.get("a");
  }, "Ünï"],
  ["the empty text", async (kv) => {
    await kv.put("a", "");
    return kv.get("a");
  }, ""],
  ["json", async (kv) => {
    await kv.put("a", '{"b":[1]}');
    return [await kv.get("a", "json"), await kv.get("a", { type: "json" })];
  }, [{ b: [1] }, { b: [1] }]],
  ["arrayBuffer", async (kv) => {
    await kv.put("a", new Uint8Array([1, 2, 255]));
    return [...new Uint8Array(await kv.get("a", "arrayBuffer"))];
  }, [1, 2, 255]],
  ["stream", async (kv) => {
    await kv.put("a", "flows");
    return new Response(await kv.get("a", "stream")).text();
  }, "flows"],
  ["put() replaces value, metadata and expiry", async (kv) => {
    await kv.put("a", "1", { expiration: FUTURE, metadata: { m: 1 } });
    await kv.put("a", "2");
    const { value, metadata } = await kv.getWithMetadata("a");
    return [value, metadata, (await kv.list()).keys];
  }, ["2", null, [{ name: "a" }]]],
  ["metadata", async (kv) => {
    await kv.put("a", "1", { metadata: { roles: ["x"] } });
    const { value, metadata } = await kv.getWithMetadata("a");
    return [value, metadata];
  }, ["1", { roles: ["x"] }]],
  ["getWithMetadata() of nothing", async (kv) => {
    const { value, metadata } = await kv.getWithMetadata("none");
    return [value, metadata];
  }, [null, null]],
  ["delete()", async (kv) => {
    await kv.put("a", "1");
    await kv.delete("a");
    await kv.delete("a");
    return kv.get("a");
  }, null],
  ["list() is in byte order", async (kv) => {
    for (const key of ["b", "a", "é", "Z", "ab"]) await kv.put(key, key);
    const { keys, list_complete } = await kv.list();
    return [keys.map((key) => key.name), list_complete];
  }, [["Z", "a", "ab", "b", "é"], true]],
  ["list() by prefix, with expiration and metadata", async (kv) => {
    await kv.put("x:1", "1", { expiration: FUTURE, metadata: { m: 1 } });
    await kv.put("y:1", "1");
    return (await kv.list({ prefix: "x:" })).keys;
  }, [{ name: "x:1", expiration: FUTURE, metadata: { m: 1 } }]],
  ["list() in pages", async (kv) => {
    for (const key of ["a", "b", "c"]) await kv.put(key, key);
    const first = await kv.list({ limit: 2 });
    const second = await kv.list({ limit: 2, cursor: first.cursor ?? null });
    return [first, second].map((page) => [
      page.keys.map((key) => key.name),
      page.list_complete,
      typeof page.cursor,
    ]);
  }, [[["a", "b"], false, "string"], [["c"], true, "undefined"]]],
  ["an empty key", (kv) => kv.get(""), failed("Key name cannot be empty.")],
  ["the key .", (kv) => kv.put(".", ""), failed('"." is not allowed as a key name.')],
  [
    "a long key",
    (kv) => kv.get("x".repeat(513)),
    failed("KV GET failed: 414 UTF-8 encoded length of 513 exceeds key length limit of 512."),
  ],
  [
    "a short time to live",
    (kv) => kv.put("a", "1", { expirationTtl: 59 }),
    failed(
      "KV PUT failed: 400 Invalid expiration_ttl of 59. Expiration TTL must be at least 60.",
    ),
  ],
  [
    "a negative time to live",
    (kv) => kv.put("a", "1", { expirationTtl: -1 }),
    failed(
      "KV PUT failed: 400 Invalid expiration_ttl of -1. Please specify integer greater than 0.",
    ),
  ],
  [
    "an expiration in the past",
    (kv) => kv.put("a", "1", { expiration: 1000 }),
    failed(
      "KV PUT failed: 400 Invalid expiration of 1000. Please specify integer greater than the current number of seconds since the UNIX epoch.",
    ),
  ],
  [
    "an expiration in less than a minute",
    (kv) => kv.put("a", "1", { expiration: SOON }),
    failed(
      `KV PUT failed: 400 Invalid expiration of ${SOON}. Expiration times must be at least 60 seconds in the future.`,
    ),
  ],
  [
    "much metadata",
    (kv) => kv.put("a", "1", { metadata: "x".repeat(1023) }),
    failed("KV PUT failed: 413 Metadata length of 1025 exceeds limit of 1024."),
  ],
  ["a limit that is not positive is none", async (kv) => {
    await kv.put("a", "1");
    return [(await kv.list({ limit: 0 })).keys.length, (await kv.list({ limit: -1 })).keys.length];
  }, [1, 1]],
  [
    "a large limit",
    (kv) => kv.list({ limit: 1001 }),
    failed(
      "KV GET failed: 400 Invalid key_count_limit of 1001. Please specify an integer less than 1000.",
    ),
  ],
  ["a number is written out", async (kv) => {
    await kv.put("a", 5 as never);
    return kv.get("a");
  }, "5"],
  [
    "an object is refused",
    (kv) => kv.put("a", { b: 1 } as never),
    failed(
      "KV put() accepts only strings, ArrayBuffers, ArrayBufferViews, and ReadableStreams as values.",
    ),
  ],
];

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    assert.ok(error instanceof Error);
    return { error: error.message };
  }
}

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
          const kv = await miniflare.getKVNamespace(`KV${index}`) as unknown as KvNamespaceDouble;
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
