import type { SqlDatabase, SqlStatement } from "@framework/auth/storage";
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { QueueConsumer } from "../platform/server_settings.ts";
import type { MessageBatch, QueueMessage } from "../runtime/types.ts";
import { logFailure, logWarning } from "./log.ts";
import { freeRows } from "./row_locks.ts";

/** Table of the messages. */
export const QUEUE_TABLES = `
CREATE TABLE IF NOT EXISTS framework_queue (
  id TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  body BLOB NOT NULL,
  content_type TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease TEXT
);
CREATE INDEX IF NOT EXISTS framework_queue_due ON framework_queue (queue, due_at);`;

type ContentType = "json" | "text" | "bytes" | "v8";

interface SendOptions {
  contentType?: ContentType;
  delaySeconds?: number;
}

/** Producer with the platform's API. */
interface Producer {
  send(body: unknown, options?: SendOptions): Promise<void>;
  sendBatch(
    messages: Iterable<{ body: unknown } & SendOptions>,
    options?: Pick<SendOptions, "delaySeconds">,
  ): Promise<void>;
}

const MAX_DELAY_SECONDS = 86_400;
const MAX_MESSAGE_BYTES = 128_000;
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 256_000;

/**
 * Milliseconds for which a batch is one process's own. It is renewed while the process works on it; when the process is
 * killed, another one gets the messages after it.
 */
const LEASE = 60_000;

/** Milliseconds between two looks for messages that another process has sent. */
const INTERVAL = 1_000;

/**
 * Creates the producer of a queue.
 *
 * @param database The database of the server.
 * @param queue Name of the queue.
 * @param sent Called when messages have been stored.
 * @see https://developers.cloudflare.com/queues/configuration/javascript-apis/
 */
export function createProducer(database: SqlDatabase, queue: string, sent: () => void): Producer {
  function prepare(
    { body, contentType = "json", delaySeconds = 0 }: { body: unknown } & SendOptions,
  ): { size: number; statement: SqlStatement } {
    if (!(delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS)) {
      throw new Error(
        "Queue send failed: Bad Request: invalid delaySeconds, expected a number from 0 to " +
          `${MAX_DELAY_SECONDS}, found ${delaySeconds}`,
      );
    }
    const bytes = encode(body, contentType);
    checkSize(bytes.length, MAX_MESSAGE_BYTES, "message length");
    const now = Date.now();
    const statement = database.prepare(
      "INSERT INTO framework_queue (id, queue, body, content_type, sent_at, due_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    ).bind(
      randomUUID().replaceAll("-", ""),
      queue,
      bytes,
      contentType,
      now,
      now + Math.trunc(delaySeconds) * 1000,
    );
    return { size: bytes.length, statement };
  }

  return {
    async send(body, options = {}) {
      await prepare({ ...options, body }).statement.run();
      sent();
    },
    async sendBatch(messages, options = {}) {
      const list = [...messages];
      if (list.length === 0) throw new TypeError("sendBatch() requires at least one message");
      if (list.length > MAX_BATCH) {
        throw new Error(
          `Queue sendBatch failed: batch message count of ${list.length} exceeds limit of ${MAX_BATCH}`,
        );
      }
      const prepared = list.map((message) => prepare({ ...options, ...message }));
      const size = prepared.reduce((sum, each) => sum + each.size, 0);
      checkSize(size, MAX_BATCH_BYTES, "batch size");
      await database.batch(prepared.map(({ statement }) => statement));
      sent();
    },
  };
}

function encode(body: unknown, contentType: ContentType): Uint8Array {
  switch (contentType) {
    case "text":
      if (typeof body !== "string") throw wrongType(contentType, "string");
      return Buffer.from(body);
    case "bytes":
      if (!ArrayBuffer.isView(body)) throw wrongType(contentType, "ArrayBufferView");
      return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    case "v8":
      if (body === undefined) throw new TypeError("Message body cannot be undefined");
      return serialize(body);
    case "json": {
      const text = JSON.stringify(body);
      if (text !== undefined) return Buffer.from(text);
      throw new TypeError("A queue message must be something that JSON can hold.");
    }
    default:
      throw new TypeError(`Unsupported queue message content type: ${String(contentType)}`);
  }
}

function decode(bytes: Uint8Array, contentType: string): unknown {
  if (contentType === "bytes") return bytes;
  if (contentType === "v8") return deserialize(bytes);
  const text = Buffer.from(bytes).toString();
  return contentType === "text" ? text : JSON.parse(text);
}

function checkSize(size: number, limit: number, what: string): void {
  if (size <= limit) return;
  throw new Error(`Queue send failed: ${what} of ${size} bytes exceeds limit of ${limit}`);
}

function wrongType(contentType: string, expected: string): TypeError {
  return new TypeError(
    `Content Type "${contentType}" requires a value of type ${expected}, but received: [object].`,
  );
}

/** Consumer of a queue in this process. */
export interface RunningConsumer {
  /** Looks for messages now. */
  wake(): void;
  /** Takes no more messages; resolves when the batch that it has is finished. */
  stop(): Promise<void>;
}

interface Row {
  id: string;
  body: Uint8Array;
  // deno-lint-ignore camelcase -- a column
  content_type: string;
  // deno-lint-ignore camelcase -- a column
  sent_at: number;
  attempts: number;
}

/**
 * Takes the messages of a queue, a batch at a time. A message is delivered to one process at a time, and again when that
 * process fails or ends before it is acknowledged: at least once.
 *
 * @param database The database of the server.
 * @param consumer Settings of the queue.
 * @param deliver The application's handler.
 */
export function startConsumer(
  database: SqlDatabase,
  consumer: QueueConsumer,
  deliver: (batch: MessageBatch) => Promise<void>,
): RunningConsumer {
  const { queue, maxBatchSize } = consumer;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let isWoken = false;

  function wake(): void {
    isWoken = true;
    if (isStopped || running) return;
    clearTimeout(timer);
    running = work().finally(() => {
      running = undefined;
      if (isStopped) return;
      if (isWoken) wake();
      else timer = setTimeout(wake, INTERVAL);
    });
  }

  async function work(): Promise<void> {
    isWoken = false;
    try {
      while (!isStopped && await isBatchDue()) {
        const lease = randomUUID();
        const rows = await claim(lease);
        if (rows.length > 0) await run(lease, rows);
      }
    } catch (error) {
      logFailure("queue-unread", error, { queue });
    }
  }

  /** Returns true when a batch is full, or its first message has waited long enough. */
  async function isBatchDue(): Promise<boolean> {
    const now = Date.now();
    const found = await database.prepare(
      "SELECT COUNT(*) AS count, MIN(due_at) AS first FROM (SELECT due_at FROM framework_queue " +
        "WHERE queue = ?1 AND due_at <= ?2 ORDER BY due_at LIMIT ?3) AS due",
    ).bind(queue, now, maxBatchSize).first<{ count: number; first: number | null }>();
    if (found === null || found.first === null) return false;
    return found.count >= maxBatchSize || now - found.first >= consumer.maxBatchTimeout * 1000;
  }

  /** One statement, for rows that no other process has: each message is claimed by one. */
  async function claim(lease: string): Promise<Row[]> {
    const now = Date.now();
    const due =
      "SELECT id FROM framework_queue WHERE queue = ?3 AND due_at <= ?4 ORDER BY due_at LIMIT ?5";
    const { results } = await database.prepare(
      "UPDATE framework_queue SET lease = ?1, due_at = ?2, attempts = attempts + 1 " +
        `WHERE ${
          freeRows(database, "id", due)
        } RETURNING id, body, content_type, sent_at, attempts`,
    ).bind(lease, now + LEASE, queue, now, maxBatchSize).all<Row>();
    return results;
  }

  async function run(lease: string, rows: Row[]): Promise<void> {
    const [messages, lost]: [ReturnType<typeof createMessage>[], Row[]] = [[], []];
    for (const row of rows) {
      // Which ended a process at every delivery ends none any more.
      const message = row.attempts > consumer.maxRetries + 1 ? null : readMessage(row);
      if (message === null) lost.push(row);
      else messages.push(message);
    }
    const renewal = setInterval(() => {
      database.prepare("UPDATE framework_queue SET due_at = ?1 WHERE lease = ?2")
        .bind(Date.now() + LEASE, lease).run()
        .catch((error) => logFailure("queue-lease-not-renewed", error, { queue }));
    }, LEASE / 3);
    let failed = false;
    try {
      if (messages.length > 0) await deliver({ queue, messages: messages.map(({ api }) => api) });
    } catch (error) {
      failed = true;
      logFailure("queue-failed", error, { queue });
    } finally {
      clearInterval(renewal);
    }
    const statements = messages.map(({ row, state }) => {
      const isDone = state.answer === "ack" || (state.answer === null && !failed);
      if (isDone) return remove(row, lease);
      if (row.attempts > consumer.maxRetries) return giveUp(row, lease);
      const delay = (state.delaySeconds ?? consumer.retryDelay) * 1000;
      return database.prepare(
        "UPDATE framework_queue SET lease = NULL, due_at = ?1 WHERE id = ?2 AND lease = ?3",
      ).bind(Date.now() + delay, row.id, lease);
    });
    await database.batch([...statements, ...lost.map((row) => giveUp(row, lease))]);
  }

  /** Null for what this version of the runtime cannot read: the others of its batch do not wait for it. */
  function readMessage(row: Row): ReturnType<typeof createMessage> | null {
    try {
      return createMessage(row);
    } catch (error) {
      logFailure("queue-message-unreadable", error, { queue, id: row.id });
      return null;
    }
  }

  function remove({ id }: Row, lease: string): SqlStatement {
    return database.prepare("DELETE FROM framework_queue WHERE id = ?1 AND lease = ?2")
      .bind(id, lease);
  }

  function giveUp(row: Row, lease: string): SqlStatement {
    const { deadLetterQueue } = consumer;
    logWarning("queue-message-given-up", {
      ...{ queue, id: row.id, attempts: row.attempts },
      ...deadLetterQueue === null ? { deleted: true } : { deadLetterQueue },
    });
    if (deadLetterQueue === null) return remove(row, lease);
    return database.prepare(
      "UPDATE framework_queue SET queue = ?1, lease = NULL, due_at = ?2, attempts = 0 WHERE id = ?3 AND lease = ?4",
    ).bind(deadLetterQueue, Date.now(), row.id, lease);
  }

  wake();
  return {
    wake,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Answer of a handler to a message; the first one counts. */
interface MessageState {
  answer: "ack" | "retry" | null;
  delaySeconds: number | undefined;
}

function createMessage(row: Row): { row: Row; state: MessageState; api: QueueMessage } {
  const state: MessageState = { answer: null, delaySeconds: undefined };
  const api: QueueMessage = {
    id: row.id,
    timestamp: new Date(row.sent_at),
    body: decode(row.body, row.content_type),
    attempts: row.attempts,
    ack() {
      state.answer ??= "ack";
    },
    retry(options) {
      if (state.answer !== null) return;
      state.answer = "retry";
      state.delaySeconds = options?.delaySeconds;
    },
  };
  return { row, state, api };
}
