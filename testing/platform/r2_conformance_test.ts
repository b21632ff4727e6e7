// One list of cases, run against the double and against the platform's own R2 in workerd, so that
// the two cannot drift apart.
import assert from "node:assert/strict";
import { createR2Bucket } from "./r2.ts";
import type { R2ObjectBody } from "./r2_object.ts";
import { answerInWorkerd } from "./fixtures/in_workerd.ts";
import { CASES, outcome } from "./fixtures/r2_own_cases.ts";
import { FILE_CASES } from "../../tests/cli/file_cases.ts";

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
    await answerInWorkerd(t, {
      file: "r2_own_cases.ts",
      cases: { CASES },
      workerd: (r2Buckets) => ({ r2Buckets }),
    });
  },
});

// R2 in workerd answers the same list in cli/server/server_conformance_test.ts.
Deno.test("createR2Bucket() answers every case of options and uploads in parts", async (t) => {
  for (const [name, work, expected] of FILE_CASES) {
    await t.step(name, async () => {
      const bucket = createR2Bucket({ now: () => Date.now(), binding: "BUCKET" });
      assert.deepEqual(await work(bucket as unknown as Parameters<typeof work>[0]), expected);
    });
  }
});

Deno.test("createR2Bucket() dates uploads by the clock, and gives up those of last week", async () => {
  const clock = { time: 5_000 };
  const bucket = createR2Bucket({ now: () => clock.time, binding: "BUCKET" });
  assert.equal((await bucket.put("a", "x"))?.uploaded.getTime(), 5_000);
  const upload = await bucket.createMultipartUpload("b");
  const part = await upload.uploadPart(1, "x");
  clock.time += 7 * 24 * 3_600_000;
  await assert.rejects(upload.complete([part]), /10024/);
  assert.equal(await bucket.head("b"), null);
});

Deno.test("createR2Bucket() refuses what it does not emulate, and what nobody knows", async () => {
  const bucket = createR2Bucket({ now: () => 0, binding: "BUCKET" });
  await assert.rejects(bucket.get("a", { ssecKey: "00" } as object), {
    code: "NOT_EMULATED",
    binding: "BUCKET",
    message: /the option ssecKey/,
  });
  await assert.rejects(bucket.put("a", "x", { storageClass: "InfrequentAccess" } as object), {
    code: "NOT_EMULATED",
  });
  await assert.rejects(bucket.put("a", "x", { ttl: 5 } as object), TypeError);
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
