// One list of handlers, run on the mock and by workerd's own queue events, so that the two agree
// about which call counts.
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { createMockBatch, createMockMessage, type MockBatch, type QueueResult } from "./message.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";

interface Worker {
  queue(name: string, messages: unknown[]): Promise<QueueResult & { outcome: string }>;
}

type Handler = (batch: MockBatch) => unknown;

// Each must stand alone: its source travels into the worker.
const HANDLERS: Record<string, Handler> = {
  "no call": () => {},
  "ack of one": (batch) => batch.messages[0]!.ack(),
  "ack twice": (batch) => {
    batch.messages[0]!.ack();
    batch.messages[0]!.ack();
  },
  "ack in another order": (batch) => {
    batch.messages[2]!.ack();
    batch.messages[0]!.ack();
  },
  "retry of one": (batch) => batch.messages[1]!.retry(),
  "retry with delay": (batch) => batch.messages[1]!.retry({ delaySeconds: 10 }),
  "retry twice": (batch) => {
    batch.messages[1]!.retry({ delaySeconds: 10 });
    batch.messages[1]!.retry({ delaySeconds: 20 });
  },
  "retry twice, the second without delay": (batch) => {
    batch.messages[1]!.retry({ delaySeconds: 10 });
    batch.messages[1]!.retry();
  },
  "ack, then retry": (batch) => {
    batch.messages[0]!.ack();
    batch.messages[0]!.retry();
  },
  "retry, then ack": (batch) => {
    batch.messages[0]!.retry();
    batch.messages[0]!.ack();
  },
  "ackAll": (batch) => batch.ackAll(),
  "retryAll": (batch) => batch.retryAll(),
  "retryAll with delay": (batch) => batch.retryAll({ delaySeconds: 5 }),
  "retryAll twice": (batch) => {
    batch.retryAll({ delaySeconds: 5 });
    batch.retryAll();
  },
  "ackAll, then retryAll": (batch) => {
    batch.ackAll();
    batch.retryAll();
  },
  "retryAll, then ackAll": (batch) => {
    batch.retryAll();
    batch.ackAll();
  },
  "ackAll, then retry of one": (batch) => {
    batch.ackAll();
    batch.messages[0]!.retry();
  },
  "ackAll, then ack of one": (batch) => {
    batch.ackAll();
    batch.messages[0]!.ack();
  },
  "retry of one, then ackAll": (batch) => {
    batch.messages[0]!.retry();
    batch.ackAll();
  },
  "retryAll, then ack of one": (batch) => {
    batch.retryAll();
    batch.messages[0]!.ack();
  },
  "retryAll, then retry of one with delay": (batch) => {
    batch.retryAll({ delaySeconds: 5 });
    batch.messages[0]!.retry({ delaySeconds: 7 });
  },
  "retry of one with delay, then retryAll": (batch) => {
    batch.messages[0]!.retry({ delaySeconds: 7 });
    batch.retryAll();
  },
  "ack of one, then ackAll, then retry of it": (batch) => {
    batch.messages[0]!.ack();
    batch.ackAll();
    batch.messages[0]!.retry();
  },
  "retryAll twice, the second with delay": (batch) => {
    batch.retryAll();
    batch.retryAll({ delaySeconds: 5 });
  },
  "ack of one, then retryAll": (batch) => {
    batch.messages[0]!.ack();
    batch.retryAll();
  },
  "throwing after ack of one": (batch) => {
    batch.messages[0]!.ack();
    throw new Error("failed");
  },
};

const IDS = ["a", "b", "c"];
const messages = () => IDS.map((id) => createMockMessage({ id, body: id }));

async function onMock(handler: Handler): Promise<unknown> {
  const batch = createMockBatch("queue", messages());
  const thrown = await Promise.resolve().then(() => handler(batch)).then(() => false, () => true);
  return { thrown, ...batch.result() };
}

Deno.test({
  name: "createMockBatch() comes to the results of workerd's own queue events",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const sources = Object.values(HANDLERS).map((handler) => handler.toString());
    const miniflare = new Miniflare({
      modules: true,
      script: `const HANDLERS = [${sources.join(",\n")}];
        export default { queue: (batch) => HANDLERS[Number(batch.queue.slice(5))](batch) };`,
      compatibilityDate: "2026-08-01",
    });
    try {
      const worker = await miniflare.getWorker();
      for (const [index, [name, handler]] of Object.entries(HANDLERS).entries()) {
        await t.step(name, async () => {
          const sent = IDS.map((id) => ({ id, timestamp: new Date(), body: id, attempts: 1 }));
          const { outcome, ackAll, retryBatch, explicitAcks, retryMessages } =
            await (worker as unknown as Worker).queue(
              `case-${index}`,
              sent,
            );
          const thrown = outcome !== "ok";
          const real = { thrown, ackAll, retryBatch, explicitAcks, retryMessages };
          assert.deepEqual(await onMock(handler), real);
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});

Deno.test("createMockBatch() tells what becomes of each message", () => {
  const outcome = (handler: Handler, failed?: "failed") => {
    const batch = createMockBatch("queue", messages());
    handler(batch);
    return Object.values(batch.outcome(failed)).join(" ");
  };
  assert.equal(outcome(() => {}), "ack ack ack");
  assert.equal(outcome(() => {}, "failed"), "retry retry retry");
  assert.equal(outcome((batch) => batch.messages[1]!.ack(), "failed"), "retry ack retry");
  assert.equal(outcome((batch) => batch.messages[1]!.retry()), "ack retry ack");
  assert.equal(outcome((batch) => batch.retryAll()), "retry retry retry");
  const mixed: Handler = (batch) => {
    batch.messages[0]!.ack();
    batch.retryAll();
  };
  assert.equal(outcome(mixed), "ack retry retry");
  const kept: Handler = (batch) => {
    batch.messages[0]!.retry();
    batch.ackAll();
  };
  assert.equal(outcome(kept), "retry ack ack");
  assert.equal(outcome((batch) => batch.ackAll(), "failed"), "ack ack ack");
});

Deno.test("createMockBatch() makes messages, keeps those it is given, and tells them apart", () => {
  const message = createMockMessage({ body: 1 });
  const batch = createMockBatch("queue", [message, { body: 2, attempts: 3 }]);
  assert.equal(batch.messages[0], message);
  assert.equal(batch.messages[1]?.attempts, 3);
  assert.throws(() => createMockBatch("queue", [message, message]), { code: "DUPLICATE_MESSAGE" });
});

Deno.test("createMockMessage() fills in what the platform would", () => {
  const [one, two] = [createMockMessage({ body: { a: 1 } }), createMockMessage({ body: null })];
  assert.match(one.id, /^[0-9a-f]{32}$/);
  assert.notEqual(one.id, two.id);
  assert.deepEqual([one.body, one.attempts], [{ a: 1 }, 1]);
  assert.ok(one.timestamp instanceof Date);
  one.ack();
  assert.equal(one.ack.mock.calls.length, 1);
  assert.equal(one.retry.mock.calls.length, 0);
});
