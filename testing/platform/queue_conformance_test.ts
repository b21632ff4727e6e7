// One list of cases, run against the double and inside workerd with miniflare's queue, so that the
// two cannot drift apart about what is accepted and what arrives.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { createQueue, type QueueDouble } from "./queue.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

// Each must stand alone: its source travels into the worker.
const CASES: Record<string, (queue: QueueDouble) => Promise<unknown>> = {
  "json": (q) => q.send({ a: [1, "x", null], dropped: undefined }),
  "a date becomes text": (q) => q.send({ at: new Date(0) }),
  "a text": (q) => q.send("plain"),
  "text": (q) => q.send("plain", { contentType: "text" }),
  "text that is none": (q) => q.send(5, { contentType: "text" }).catch((e) => e.constructor.name),
  "bytes": (q) => q.send(new Uint8Array([1, 255]), { contentType: "bytes" }),
  "bytes that are none": (q) =>
    q.send("x", { contentType: "bytes" }).catch((e) => e.constructor.name),
  "v8": (q) => q.send({ at: new Date(5), list: new Set([1]) }, { contentType: "v8" }),
  "an unknown type": (q) =>
    q.send("x", { contentType: "xml" as "json" }).catch((e) => e.constructor.name),
  "metrics": (q) => q.metrics().then((metrics) => ({ metadata: { metrics } })),
  "undefined as v8": (q) =>
    q.send(undefined, { contentType: "v8" }).catch((e) => e.constructor.name),
  "undefined": (q) => q.send(undefined).catch((e) => e.constructor.name),
  "a batch": (q) =>
    q.sendBatch([{ body: 1 }, { body: "x", contentType: "text" }, { body: { a: 1 } }]),
  "a batch of nothing": (q) => q.sendBatch([]).catch((e) => e.constructor.name),
  "a large message": (q) =>
    q.send("x".repeat(128_001), { contentType: "text" }).catch(() => "refused"),
  "the largest message": (q) =>
    q.send("x".repeat(128_000), { contentType: "text" }).catch(() => "refused"),
  "101 messages": (q) =>
    q.sendBatch(Array.from({ length: 101 }, () => ({ body: 1 }))).catch(() => "refused"),
  "a large batch": (q) =>
    q.sendBatch(
      Array.from(
        { length: 3 },
        () => ({ body: "x".repeat(100_000), contentType: "text" as const }),
      ),
    ).catch(() => "refused"),
  "a negative delay": (q) => q.send(1, { delaySeconds: -1 }).catch(() => "refused"),
  "a long delay": (q) => q.send(1, { delaySeconds: 86_401 }).catch(() => "refused"),
  "a broken delay": (q) => q.send(1, { delaySeconds: 1.5 }).catch(() => "refused"),
};

/** Encodes a message that arrived, as JSON with the types that it lacks. */
function encode(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (value instanceof Set) return { $set: [...value] };
  if (value instanceof ArrayBuffer) return { $bytes: [...new Uint8Array(value)] };
  if (value instanceof Uint8Array) return { $bytes: [...value] };
  if (typeof value === "string" && value.length > 1000) return value.length;
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== "object" || value === null) return value;
  // What a sending resolves with; miniflare always counts 0.
  if ("metadata" in value) return JSON.stringify(value).replace(/\d+/g, "N");
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)]));
}

Deno.test({
  name: "createQueue() accepts and delivers what the platform's queue does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const miniflare = new Miniflare({
      modules: true,
      script: `${encode.toString()}
        const CASES = [${Object.values(CASES).map((run) => run.toString()).join(",\n")}];
        let arrived = [];
        export default {
          async fetch(request, env) {
            arrived = [];
            const result = await CASES[Number(new URL(request.url).pathname.slice(1))](env.QUEUE);
            // What was sent by then is delivered in order, this one last.
            await env.QUEUE.send("end", { contentType: "text" });
            for (let tries = 0; arrived.at(-1) !== "end" && tries < 10_000; tries++) {
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            return Response.json({ result: encode(result), arrived: arrived.slice(0, -1) });
          },
          queue(batch) {
            arrived.push(...batch.messages.map((message) => encode(message.body)));
          },
        };`,
      compatibilityDate: "2026-08-01",
      queueProducers: { QUEUE: "queue" },
      queueConsumers: { queue: { maxBatchTimeout: 0, maxBatchSize: 100 } },
    });
    try {
      for (const [index, [name, run]] of Object.entries(CASES).entries()) {
        await t.step(name, async () => {
          const queue = createQueue({ now: () => 0 });
          const result = encode(await run(queue));
          const arrived = queue.take().map((message) => encode(message.body));
          const response = await miniflare.dispatchFetch(`http://localhost/${index}`);
          assert.deepEqual(
            JSON.parse(JSON.stringify({ result, arrived })),
            await response.json(),
          );
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});

Deno.test("createQueue() holds messages back until their delay has passed by the clock", async () => {
  let now = 1_000;
  const queue = createQueue<string>({ now: () => now });
  await queue.send("late", { delaySeconds: 60 });
  await queue.send("soon");
  await queue.sendBatch([{ body: "own", delaySeconds: 30 }, { body: "both" }], {
    delaySeconds: 60,
  });
  const bodies = () => queue.take().map((message) => message.body);
  assert.deepEqual(bodies(), ["soon"]);
  now += 30_000;
  assert.deepEqual(bodies(), ["own"]);
  now += 30_000;
  assert.deepEqual(bodies(), ["late", "both"]);
  assert.deepEqual(bodies(), []);
});

Deno.test("createQueue() sends all of a batch or nothing", async () => {
  const queue = createQueue({ now: () => 0 });
  await assert.rejects(queue.sendBatch([{ body: 1 }, { body: () => {} }]), TypeError);
  assert.deepEqual(queue.take(), []);
});
