// One list of cases, run against the double and against the platform's own R2 in workerd, so that
// the two cannot drift apart.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { createR2Bucket, type R2BucketDouble, type R2ObjectBody } from "./r2.ts";
import { CASES, outcome } from "./fixtures/r2_cases.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

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

Deno.test("createR2Bucket() ignores no option", async () => {
  const bucket = createR2Bucket({ now: () => 0, binding: "BUCKET" });
  const conditions = new Headers({ "if-none-match": "*" }) as object;
  const refused = (what: RegExp) => ({ code: "NOT_EMULATED", message: what });
  await assert.rejects(
    bucket.put("a", "x", { onlyIf: conditions }),
    refused(/onlyIf from headers/),
  );
  await assert.rejects(bucket.get("a", { range: conditions }), refused(/range from headers/));
  await assert.rejects(bucket.put("a", "x", { sha256: "00" } as object), refused(/option sha256/));
  await assert.rejects(bucket.get("a", { ssecKey: "00" } as object), refused(/option ssecKey/));
  assert.equal((await bucket.put("a", "x", { storageClass: "Standard" } as object))?.size, 1);
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
