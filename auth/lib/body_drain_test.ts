import assert from "node:assert/strict";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import { drainBody } from "./body.ts";

const REFUSAL = new Response(null, { status: 403 });
const CHUNK = new Uint8Array(16 * 1024);

/** A request whose body comes in chunks, and what was asked of it. */
function post(chunks: number, headers: Record<string, string> = {}) {
  const seen = { chunks: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.chunks === chunks) return controller.close();
      seen.chunks++;
      controller.enqueue(CHUNK);
    },
    cancel: () => void (seen.cancelled = true),
  }, { highWaterMark: 0 });
  const init = { method: "POST", headers, body, duplex: "half" };
  return { request: new Request(`${ORIGIN}/auth/signin/credentials`, init as RequestInit), seen };
}

Deno.test("drainBody() reads a refused body of moderate size to its end", async () => {
  // Tracks: A-16, R169
  const { request, seen } = post(1024);
  await drainBody(request, REFUSAL);
  assert.deepEqual(seen, { chunks: 1024, cancelled: false });
});

Deno.test("drainBody() gives up on a body that is too long, announced or not", async () => {
  // Tracks: A-16, R169
  const endless = post(Infinity);
  await drainBody(endless.request, REFUSAL);
  assert.deepEqual(endless.seen, { chunks: 1025, cancelled: true });
  const announced = post(Infinity, { "content-length": "16777217" });
  await drainBody(announced.request, REFUSAL);
  assert.deepEqual(announced.seen, { chunks: 0, cancelled: false });
});

Deno.test("drainBody() gives up on a body that does not come", async () => {
  // Tracks: A-16, R169
  let cancelled = false;
  const body = new ReadableStream({
    pull: () => new Promise(() => {}),
    cancel: () => void (cancelled = true),
  });
  const init = { method: "POST", body, duplex: "half" } as RequestInit;
  await drainBody(new Request(ORIGIN, init), REFUSAL, 1);
  assert.equal(cancelled, true);
});

Deno.test("drainBody() leaves a body alone that was granted, is being read, or has broken off", async () => {
  const granted = post(1);
  await drainBody(granted.request, new Response());
  assert.deepEqual(granted.seen, { chunks: 0, cancelled: false });
  const passedOn = post(1);
  const reader = passedOn.request.body!.getReader();
  await drainBody(passedOn.request, REFUSAL);
  assert.equal((await reader.read()).value, CHUNK);
  const read = new Request(ORIGIN, { method: "POST", body: "read" });
  await read.text();
  for (const request of [read, new Request(ORIGIN)]) await drainBody(request, REFUSAL);
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error("reset")) });
  const init = { method: "POST", body: broken, duplex: "half" } as RequestInit;
  await drainBody(new Request(ORIGIN, init), REFUSAL);
});

Deno.test("drainBody() asks no client for a body that waits for leave to send it", async () => {
  // Tracks: A-16, R169
  const { request, seen } = post(1, { expect: "100-continue" });
  await drainBody(request, REFUSAL);
  assert.deepEqual(seen, { chunks: 0, cancelled: false });
});

Deno.test("auth.handle() and auth.run() read what they refuse before they answer", async () => {
  // Tracks: A-16, R169
  const { auth, close } = createTestApplication();
  const foreign = post(2, { origin: "https://evil.example" });
  assert.equal((await auth.handle(foreign.request, {}))?.status, 403);
  assert.deepEqual(foreign.seen, { chunks: 2, cancelled: false });
  const refused = post(2, { accept: "application/json" });
  const response = await auth.run(
    refused.request,
    {},
    undefined,
    ({ auth }) => auth.requireAuth({ throwError: true }).then(() => new Response()),
  );
  assert.equal(response.status, 401);
  assert.deepEqual(refused.seen, { chunks: 2, cancelled: false });
  close();
});
