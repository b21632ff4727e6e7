import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlDatabase } from "@framework/auth/storage";
import { until } from "../../tests/cli/framework.ts";
import type { QueueConsumer } from "../platform/server_settings.ts";
import type { MessageBatch } from "../runtime/types.ts";
import { claim } from "./cron.ts";
import { openServerDatabase, type ServerDatabase } from "./database.ts";
import { createProducer, startConsumer } from "./queue.ts";

const consumer: QueueConsumer = {
  queue: "mails",
  maxBatchSize: 10,
  maxBatchTimeout: 0,
  maxRetries: 2,
  retryDelay: 0,
  deadLetterQueue: "dead",
};

/** Opens one database file several times, as several processes do. */
async function withDatabases(
  count: number,
  work: (...databases: SqlDatabase[]) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "server-"));
  const opened: ServerDatabase[] = [];
  for (let index = 0; index < count; index++) {
    opened.push(
      await openServerDatabase({
        file: join(folder, "database.sqlite"),
        migrations: folder,
        table: "d1_migrations",
      }),
    );
  }
  try {
    await work(...opened.map(({ binding }) => binding));
  } finally {
    for (const database of opened) database.close();
    await rm(folder, { recursive: true });
  }
}

async function left(database: SqlDatabase, queue: string): Promise<number> {
  const row = await database.prepare(
    "SELECT COUNT(*) AS count FROM framework_queue WHERE queue = ?1",
  )
    .bind(queue).first<{ count: number }>();
  return row!.count;
}

function bodiesOf({ messages }: MessageBatch): unknown[] {
  return messages.map(({ body }) => body);
}

Deno.test("of consumers over one database each message reaches one, and all of them arrive", async () => {
  await withDatabases(3, async (first, second, third) => {
    const producer = createProducer(third!, "mails", () => {});
    const sent = Array.from({ length: 300 }, (_, index) => index);
    for (let at = 0; at < 300; at += 100) {
      await producer.sendBatch(sent.slice(at, at + 100).map((body) => ({ body })));
    }
    const seen: unknown[][] = [[], []];
    const consumers = [first!, second!].map((database, index) =>
      startConsumer(database, consumer, async (batch) => {
        assert.ok(batch.messages.length <= 10);
        seen[index]!.push(...bodiesOf(batch));
        await new Promise((resolve) => setTimeout(resolve, 1));
      })
    );
    await until(() => left(third!, "mails"), (count) => count === 0, 20_000);
    await Promise.all(consumers.map(({ stop }) => stop()));
    assert.deepEqual(seen.flat().sort((a, b) => Number(a) - Number(b)), sent);
    assert.ok(seen.every((list) => list.length > 0), "both took a part");
  });
});

Deno.test("a message comes again when its handler fails, and at last goes to the queue for the dead", async () => {
  await withDatabases(1, async (database) => {
    const producer = createProducer(database!, "mails", () => {});
    await producer.sendBatch(["fine", "acknowledged", "bad"].map((body) => ({ body })));
    const seen: [unknown, number][] = [];
    const running = startConsumer(database!, consumer, (batch) => {
      for (const message of batch.messages) {
        seen.push([message.body, message.attempts]);
        if (message.body === "acknowledged") message.ack();
      }
      if (bodiesOf(batch).includes("bad")) throw new Error("The handler failed");
      return Promise.resolve();
    });
    await until(
      async () => {
        running.wake();
        return await left(database!, "mails");
      },
      (count) => count === 0,
      20_000,
    );
    await running.stop();
    const timesOf = (body: string) =>
      seen.filter(([one]) => one === body).map(([, times]) => times);
    assert.deepEqual(timesOf("acknowledged"), [1]);
    assert.deepEqual(timesOf("bad"), [1, 2, 3]);
    assert.deepEqual(timesOf("fine"), [1, 2, 3], "it was in the batch that failed");
    assert.equal(await left(database!, "dead"), 2);
  });
});

Deno.test("what a process had when it was killed comes again after its lease, and not for ever", async () => {
  await withDatabases(1, async (database) => {
    const producer = createProducer(database!, "mails", () => {});
    await producer.sendBatch([{ body: "taken" }, { body: "deadly" }]);
    const now = Date.now();
    await database!.prepare(
      "UPDATE framework_queue SET lease = 'of the dead', due_at = ?1, attempts = 1",
    )
      .bind(now + 60_000).run();
    const seen: [unknown, number][] = [];
    const running = startConsumer(database!, consumer, (batch) => {
      for (const { body, attempts } of batch.messages) seen.push([body, attempts]);
      return Promise.resolve();
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(seen, [], "the lease is another's");
    await database!.prepare("UPDATE framework_queue SET due_at = ?1").bind(now).run();
    await database!.prepare("UPDATE framework_queue SET attempts = 3 WHERE CAST(body AS TEXT) = ?1")
      .bind('"deadly"').run();
    running.wake();
    await until(() => left(database!, "mails"), (count) => count === 0, 20_000);
    await running.stop();
    assert.deepEqual(seen, [["taken", 2]]);
    assert.equal(await left(database!, "dead"), 1);
  });
});

Deno.test("bodies arrive as their types, after their delay, and too large ones are refused", async () => {
  await withDatabases(1, async (database) => {
    const producer = createProducer(database!, "mails", () => {});
    const at = new Date(5);
    await producer.sendBatch([
      { body: { a: [1, null] } },
      { body: "text", contentType: "text" },
      { body: new Uint8Array([1, 255]), contentType: "bytes" },
      { body: { at, list: new Set([1]) }, contentType: "v8" },
    ]);
    await producer.send("later", { delaySeconds: 60 });
    for (const body of [undefined, "x".repeat(128_001)]) await assert.rejects(producer.send(body));
    await assert.rejects(producer.send(1, { delaySeconds: 86_401 }), /delaySeconds/);
    await assert.rejects(producer.sendBatch([]), /at least one/);
    await assert.rejects(
      producer.sendBatch(Array.from({ length: 3 }, () => ({ body: "x".repeat(100_000) }))),
      /batch size/,
    );
    const seen: unknown[] = [];
    const running = startConsumer(database!, consumer, (batch) => {
      seen.push(...bodiesOf(batch));
      return Promise.resolve();
    });
    await until(() => left(database!, "mails"), (count) => count === 1, 20_000);
    await running.stop();
    assert.deepEqual(seen, [
      { a: [1, null] },
      "text",
      new Uint8Array([1, 255]),
      { at, list: new Set([1]) },
    ]);
  });
});

Deno.test("a consumer that stops finishes its batch, and takes no other", async () => {
  await withDatabases(1, async (database) => {
    const producer = createProducer(database!, "mails", () => {});
    await producer.sendBatch([{ body: 1 }, { body: 2 }]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const running = startConsumer(database!, { ...consumer, maxBatchSize: 1 }, async (batch) => {
      begun.resolve();
      await promise;
      seen.push(...bodiesOf(batch));
    });
    await begun.promise;
    const stopped = running.stop();
    resolve();
    await stopped;
    assert.deepEqual(seen, [1]);
    assert.equal(await left(database!, "mails"), 1);
  });
});

Deno.test("a run of a job is one process's, and no earlier one comes after it", async () => {
  await withDatabases(4, async (...databases) => {
    for (let minute = 1; minute <= 20; minute++) {
      const own = await Promise.all(
        databases.map((database) => claim(database, "* * * * *", minute * 60_000)),
      );
      assert.equal(own.filter(Boolean).length, 1);
    }
    assert.equal(await claim(databases[0]!, "* * * * *", 60_000), false);
    assert.equal(await claim(databases[0]!, "0 3 * * *", 60_000), true);
  });
});

Deno.test("a message that cannot be read goes to the queue for the dead, and the others of its batch arrive", async () => {
  await withDatabases(1, async (database) => {
    const producer = createProducer(database!, "mails", () => {});
    await producer.sendBatch([{ body: "first" }, { body: "second" }, { body: "third" }]);
    await database!.prepare("UPDATE framework_queue SET body = ?1 WHERE body = ?2")
      .bind(new TextEncoder().encode("{"), new TextEncoder().encode('"second"')).run();
    const seen: unknown[] = [];
    const running = startConsumer(database!, consumer, (batch) => {
      seen.push(...bodiesOf(batch));
      return Promise.resolve();
    });
    await until(() => left(database!, "mails"), (count) => count === 0, 20_000);
    await running.stop();
    assert.deepEqual(seen.sort(), ["first", "third"]);
    assert.equal(await left(database!, "dead"), 1);
  });
});
