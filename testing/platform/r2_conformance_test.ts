// One list of cases, run against the double and against the platform's own R2 in workerd, so that
// the two cannot drift apart.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import {
  createR2Bucket,
  type R2BucketDouble,
  type R2Object,
  type R2ObjectBody,
  type R2Objects,
} from "./r2.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

type Case = [name: string, run: (bucket: R2BucketDouble) => unknown, expected: unknown];

const MD5 = "5d41402abc4b2a76b9719d911017c592";
const failed = (message: string) => ({ error: message });
const read = async (object: R2ObjectBody | R2Object | null) =>
  object !== null && "text" in object ? await object.text() : null;
const keysOf = ({ objects, truncated, delimitedPrefixes }: R2Objects) => [
  objects.map((object) => object.key),
  truncated,
  delimitedPrefixes,
];
const fill = async (bucket: R2BucketDouble, keys: string[]) => {
  for (const key of keys) await bucket.put(key, key);
};
const PAST = new Date(1_000);
const FUTURE = new Date(4_000_000_000_000);

const CASES: Case[] = [
  ["get() and head() of nothing", async (b) => [await b.get("a"), await b.head("a")], [null, null]],
  ["text", async (b) => {
    await b.put("a", "Ünï");
    return read(await b.get("a"));
  }, "Ünï"],
  ["null is empty", async (b) => {
    const object = await b.put("a", null);
    return [object?.size, await read(await b.get("a"))];
  }, [0, ""]],
  ["bytes", async (b) => {
    await b.put("a", new Uint8Array([1, 255]));
    const object = await b.get("a") as R2ObjectBody;
    return [...new Uint8Array(await object.arrayBuffer())];
  }, [1, 255]],
  ["json", async (b) => {
    await b.put("a", '{"b":1}');
    return (await b.get("a") as R2ObjectBody).json();
  }, { b: 1 }],
  ["a value is used once", async (b) => {
    await b.put("a", "x");
    const object = await b.get("a") as R2ObjectBody;
    const before = object.bodyUsed;
    await object.text();
    return [before, object.bodyUsed];
  }, [false, true]],
  ["put() describes the object", async (b) => {
    const object = await b.put("a/b", "hello");
    return [
      object?.key,
      object?.size,
      object?.etag,
      object?.httpEtag,
      object?.checksums.toJSON(),
      object?.uploaded instanceof Date,
      object?.version.length,
      object?.httpMetadata,
      object?.customMetadata,
    ];
  }, ["a/b", 5, MD5, `"${MD5}"`, { md5: MD5 }, true, 32, {}, {}]],
  ["metadata", async (b) => {
    const given = { contentType: "text/plain", cacheControl: "max-age=1" };
    await b.put("a", "x", { httpMetadata: given, customMetadata: { by: "ada" } });
    const object = await b.head("a");
    return [object?.httpMetadata, object?.customMetadata];
  }, [
    { contentType: "text/plain", cacheControl: "max-age=1" },
    { by: "ada" },
  ]],
  ["put() replaces metadata", async (b) => {
    await b.put("a", "x", { customMetadata: { by: "ada" } });
    await b.put("a", "y");
    return (await b.head("a"))?.customMetadata;
  }, {}],
  ["ranges", async (b) => {
    await b.put("a", "0123456789");
    const parts = [];
    for (
      const range of [
        { offset: 2, length: 3 },
        { offset: 7 },
        { length: 2 },
        { suffix: 3 },
        { offset: 8, length: 9 },
        { suffix: 20 },
      ]
    ) {
      const object = await b.get("a", { range }) as R2ObjectBody;
      parts.push([await object.text(), object.size]);
    }
    return parts;
  }, [["234", 10], ["789", 10], ["01", 10], ["789", 10], ["89", 10], ["0123456789", 10]]],
  ["a range behind the end", async (b) => {
    await b.put("a", "0123");
    return b.get("a", { range: { offset: 4 } });
  }, failed("get: The requested range is not satisfiable (10039)")],
  ["delete()", async (b) => {
    await fill(b, ["a", "b", "c"]);
    await b.delete("a");
    await b.delete(["b", "none"]);
    return keysOf(await b.list());
  }, [["c"], false, []]],
  ["list() is in byte order", async (b) => {
    await fill(b, ["b", "a", "é", "Z", "ab"]);
    return keysOf(await b.list());
  }, [["Z", "a", "ab", "b", "é"], false, []]],
  ["list() by prefix", async (b) => {
    await fill(b, ["x/1", "x/2", "y/1"]);
    return keysOf(await b.list({ prefix: "x/" }));
  }, [["x/1", "x/2"], false, []]],
  ["list() by delimiter", async (b) => {
    await fill(b, ["x/1", "x/2", "y/1", "z"]);
    return [
      keysOf(await b.list({ delimiter: "/" })),
      keysOf(await b.list({ delimiter: "/", prefix: "x/" })),
    ];
  }, [[["z"], false, ["x/", "y/"]], [["x/1", "x/2"], false, []]]],
  ["list() in pages", async (b) => {
    await fill(b, ["a", "b", "c"]);
    const first = await b.list({ limit: 2 });
    const second = await b.list({ limit: 2, cursor: first.cursor ?? "" });
    return [keysOf(first), typeof first.cursor, keysOf(second), typeof second.cursor];
  }, [[["a", "b"], true, []], "string", [["c"], false, []], "undefined"]],
  ["list() by delimiter in pages", async (b) => {
    await fill(b, ["a/1", "a/2", "b/1", "c"]);
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = await b.list({ delimiter: "/", limit: 1, ...(cursor ? { cursor } : {}) });
      pages.push(keysOf(page));
      cursor = page.cursor;
    } while (cursor);
    return pages;
  }, [[[], true, ["a/"]], [[], true, ["b/"]], [["c"], false, []]]],
  ["list() after a key", async (b) => {
    await fill(b, ["a", "b", "c"]);
    return keysOf(await b.list({ startAfter: "a" }));
  }, [["b", "c"], false, []]],
  ["list() with metadata", async (b) => {
    await b.put("a", "x", { customMetadata: { by: "ada" }, httpMetadata: { contentType: "t" } });
    const { objects: [object] } = await b.list({ include: ["customMetadata", "httpMetadata"] });
    return [object?.customMetadata, object?.httpMetadata];
  }, [{ by: "ada" }, { contentType: "t" }]],
  [
    "a limit of 0",
    (b) => b.list({ limit: 0 }),
    failed("list: MaxKeys params must be positive integer <= 1000. (10022)"),
  ],
  [
    "a limit of 1001",
    (b) => b.list({ limit: 1001 }),
    failed("list: MaxKeys params must be positive integer <= 1000. (10022)"),
  ],
  [
    "a long key",
    (b) => b.put("x".repeat(1025), "x"),
    failed("put: The specified object name is not valid. (10020)"),
  ],
  [
    "much metadata",
    (b) => b.put("a", "x", { customMetadata: { a: "x".repeat(2048) } }),
    failed("put: Your metadata headers exceed the maximum allowed metadata size. (10012)"),
  ],
  ["the MD5 of the value", async (b) => (await b.put("a", "hello", { md5: MD5 }))?.etag, MD5],
  [
    "another MD5",
    (b) => b.put("a", "other", { md5: MD5 }),
    failed(
      "put: The MD5 checksum you specified did not match what we received.\n" +
        `You provided a MD5 checksum with value: ${MD5}\n` +
        "Actual MD5 was: 795f3202b17cb6bc3d4b771d8c6c9eaf (10037)",
    ),
  ],
  ["get() on conditions", async (b) => {
    await b.put("a", "hello");
    const results = [];
    for (
      const onlyIf of [
        { etagMatches: MD5 },
        { etagMatches: "other" },
        { etagMatches: "*" },
        { etagDoesNotMatch: MD5 },
        { etagDoesNotMatch: "other" },
        { uploadedBefore: PAST },
        { uploadedBefore: FUTURE },
        { uploadedAfter: PAST },
        { uploadedAfter: FUTURE },
        { etagMatches: MD5, uploadedAfter: FUTURE },
      ]
    ) results.push(await read(await b.get("a", { onlyIf })) !== null);
    return results;
  }, [true, false, true, false, true, false, true, true, false, false]],
  ["put() on conditions", async (b) => {
    const results = [];
    for (
      const onlyIf of [
        { etagMatches: MD5 },
        { etagDoesNotMatch: "*" },
        { etagDoesNotMatch: "*" },
        { etagMatches: MD5 },
        { etagMatches: "*" },
        { uploadedBefore: PAST },
        { uploadedAfter: PAST },
      ]
    ) results.push(await b.put("a", "hello", { onlyIf }) !== null);
    return results;
  }, [false, true, false, true, true, false, true]],
  ["put() on conditions, without an object", async (b) => {
    const results = [];
    for (
      const onlyIf of [
        { uploadedBefore: FUTURE },
        { uploadedAfter: PAST },
        { etagDoesNotMatch: MD5 },
      ]
    ) {
      results.push(await b.put("a", "x", { onlyIf }) !== null);
      await b.delete("a");
    }
    return results;
  }, [true, false, true]],
];

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    assert.ok(error instanceof Error);
    return { error: error.message };
  }
}

Deno.test("createR2Bucket() answers every conformance case", async (t) => {
  for (const [name, work, expected] of CASES) {
    await t.step(name, async () => {
      const bucket = createR2Bucket({ now: () => Date.now(), binding: "BUCKET" });
      assert.deepEqual(await outcome(() => work(bucket)), expected);
    });
  }
});

Deno.test({
  name: "R2 in workerd answers every conformance case",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const miniflare = new Miniflare({
      modules: true,
      script: "export default { fetch: () => new Response() }",
      compatibilityDate: "2026-08-01",
      r2Buckets: CASES.map((_, index) => `BUCKET${index}`),
    });
    try {
      for (const [index, [name, work, expected]] of CASES.entries()) {
        await t.step(name, async () => {
          const bucket = await miniflare.getR2Bucket(`BUCKET${index}`);
          assert.deepEqual(
            await outcome(() => work(bucket as unknown as R2BucketDouble)),
            expected,
          );
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});

Deno.test("createR2Bucket() dates uploads by the clock, and refuses multipart uploads", async () => {
  const bucket = createR2Bucket({ now: () => 5_000, binding: "BUCKET" });
  assert.equal((await bucket.put("a", "x"))?.uploaded.getTime(), 5_000);
  assert.throws(() => bucket.createMultipartUpload("a"), {
    code: "NOT_EMULATED",
    binding: "BUCKET",
    message: /multipart uploads/,
  });
});

Deno.test("createR2Bucket() reads metadata from headers, and writes it back", async () => {
  const bucket = createR2Bucket({ now: () => 0, binding: "BUCKET" });
  const expires = "Thu, 01 Jan 2026 00:00:00 GMT";
  const given = new Headers({ "content-type": "text/plain", expires, "x-other": "y" });
  const object = await bucket.put("a", "x", { httpMetadata: given });
  assert.deepEqual(object?.httpMetadata, {
    contentType: "text/plain",
    cacheExpiry: new Date(expires),
  });
  const headers = new Headers();
  object?.writeHttpMetadata(headers);
  assert.deepEqual([...headers], [["content-type", "text/plain"], ["expires", expires]]);
});

Deno.test("createR2Bucket() gives a value as stream and as blob", async () => {
  const bucket = createR2Bucket({ now: () => 0, binding: "BUCKET" });
  await bucket.put("a", new Blob(["x"]).stream(), { httpMetadata: { contentType: "text/plain" } });
  const read = async () => await bucket.get("a") as R2ObjectBody;
  assert.equal(await new Response((await read()).body).text(), "x");
  assert.equal((await (await read()).blob()).type, "text/plain");
});
