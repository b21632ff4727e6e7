import assert from "node:assert/strict";
import { RequestError } from "../errors.ts";
import { limitBody } from "./body.ts";

/** A request of so many chunks of 1 KiB, and how many of them were asked for. */
function post(chunks: number, headers: Record<string, string> = {}) {
  const seen = { chunks: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.chunks === chunks) return controller.close();
      seen.chunks++;
      controller.enqueue(new Uint8Array(1024));
    },
    cancel: () => void (seen.cancelled = true),
  }, { highWaterMark: 0 });
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return { request: new Request("https://app.example/", init), seen };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RequestError && error.status === 413;
}

Deno.test("limitBody() takes bodies up to the limit", async () => {
  const { request } = post(4, { "x-a": "1" });
  const limited = limitBody(request, 4096);
  assert.equal(limited.headers.get("x-a"), "1");
  assert.equal((await limited.arrayBuffer()).byteLength, 4096);
  const without = new Request("https://app.example/", { method: "DELETE" });
  assert.equal(limitBody(without, 0), without);
});

Deno.test("limitBody() refuses what announces too much, and reads nothing of it", () => {
  // Tracks: A-03, OP-10, R169
  const { request, seen } = post(60_000, { "content-length": "62914560" });
  assert.throws(() => limitBody(request, 1024 * 1024), isTooLarge);
  assert.deepEqual(seen, { chunks: 0, cancelled: false });
});

for (const length of [undefined, "8", "-1", "8e", "0x10", "NaN"]) {
  Deno.test(`limitBody() counts what comes beside the length ${length}, and keeps no more than it may`, async () => {
    // Tracks: A-03, OP-10, R169
    for (const read of ["text", "formData", "arrayBuffer", "blob"] as const) {
      const { request, seen } = post(60_000, {
        "content-type": "application/x-www-form-urlencoded",
        ...(length !== undefined && { "content-length": length }),
      });
      await assert.rejects(limitBody(request, 4096)[read](), isTooLarge);
      // So much is read before the answer and kept by nobody, and then no more.
      assert.deepEqual(seen, { chunks: 5 + 16 * 1024 + 1, cancelled: true });
    }
  });
}

Deno.test("limitBody() lets a client send to its end that is a little above the limit", async () => {
  // Tracks: A-16, R169
  const { request, seen } = post(100);
  await assert.rejects(limitBody(request, 4096).text(), isTooLarge);
  assert.deepEqual(seen, { chunks: 100, cancelled: false });
});

Deno.test("limitBody() hands on what is streamed as it comes", async () => {
  const { request, seen } = post(100);
  const reader = limitBody(request, 1024 * 1024).body!.getReader();
  await reader.read();
  assert.ok(seen.chunks <= 3, `${seen.chunks} chunks`);
  await reader.cancel();
  assert.equal(seen.cancelled, true);
});
