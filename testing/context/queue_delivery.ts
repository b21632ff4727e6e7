import type { Platform } from "@framework/cli/project";
import { TestingError } from "../errors.ts";
import type { WaitingMessage } from "../platform/queue.ts";
import { createBatchCalls, outcomeOf, type QueueResult, type RetryOptions } from "./queue_batch.ts";

/** A message for `ctx.queue()`. */
export interface QueuedMessage<Body = unknown> {
  /** Content of the message. */
  body: Body;
  /** Its id. Default: 32 random hexadecimal digits. */
  id?: string;
  /** Number of deliveries, this one included. Default: 1. */
  attempts?: number;
  /** Time of sending. Default: now, by the context's clock. */
  timestamp?: Date;
}

/** A message after its delivery. */
export interface DeliveredMessage<Body = unknown> {
  /** Its id, the same in each delivery. */
  id: string;
  /** Content of the message. */
  body: Body;
  /** Number of deliveries so far. */
  attempts: number;
}

/** Result of `ctx.queue()`. */
export interface QueueDelivery {
  /** Outcome of each message by its id. */
  outcome: Record<string, "ack" | "retry">;
  /** Messages that wait for another delivery; `ctx.queue()` makes it when their delay has passed. */
  retried: DeliveredMessage[];
  /** Messages whose deliveries are used up: they wait in the dead letter queue, or are gone without one. */
  dead: DeliveredMessage[];
}

/** Batch as a handler gets it. */
export interface DeliveredBatch {
  readonly queue: string;
  readonly messages: readonly {
    readonly id: string;
    readonly timestamp: Date;
    readonly body: unknown;
    readonly attempts: number;
    ack(): void;
    retry(options?: RetryOptions): void;
  }[];
  ackAll(): void;
  retryAll(options?: RetryOptions): void;
}

/** Message on its way to a handler. */
export type SentToHandler = Pick<WaitingMessage, "id" | "body" | "timestamp" | "attempts">;

/** Hands a batch to the worker's handler. */
export type HandleBatch = (
  queue: string,
  messages: readonly SentToHandler[],
) => Promise<{ result: QueueResult; error?: unknown }>;

/** Deliveries of the queues of one context. */
export interface QueueDeliveries {
  /**
   * Delivers messages as one batch, or those that wait in the queue in batches of its size.
   *
   * @throws Errors of the handler; the messages are delivered again all the same.
   */
  deliver(queue: string, messages?: Iterable<QueuedMessage>): Promise<QueueDelivery>;
}

const DEFAULT_RETRIES = 3;
const DEFAULT_BATCH = 10;

/** Creates the deliveries of a context. */
export function createDeliveries(
  { platform, waiting, isPlatforms = false, now, handle }: {
    platform: Platform;
    /** Messages that wait, by queue. */
    waiting: Map<string, WaitingMessage[]>;
    /** True where what the worker sends goes to the platform's own queues, and waits there. Default: false. */
    isPlatforms?: boolean;
    now(): number;
    handle: HandleBatch;
  },
): QueueDeliveries {
  function inQueue(name: string): WaitingMessage[] {
    const list = waiting.get(name) ?? [];
    waiting.set(name, list);
    return list;
  }

  async function deliverBatch(
    queue: string,
    batch: readonly SentToHandler[],
    delivery: QueueDelivery,
  ): Promise<void> {
    const { result, ...failure } = await handle(queue, batch);
    const failed = "error" in failure;
    const outcome = outcomeOf(batch.map(({ id }) => id), result, failed);
    Object.assign(delivery.outcome, outcome);
    const { retries, deadLetters, delay } = consumerOf(platform, queue);
    for (const message of batch) {
      if (outcome[message.id] === "ack") continue;
      const { id, body, attempts, timestamp } = message;
      const own = result.retryMessages.find(({ msgId }) => msgId === id)?.delaySeconds;
      const seconds = own ?? result.retryBatch.delaySeconds ?? delay;
      const size = JSON.stringify(body)?.length ?? 0;
      if (attempts <= retries) {
        const due = now() + seconds * 1000;
        inQueue(queue).push({ id, body, timestamp, attempts: attempts + 1, due, size });
        delivery.retried.push({ id, body, attempts });
        continue;
      }
      delivery.dead.push({ id, body, attempts });
      if (deadLetters !== undefined) {
        inQueue(deadLetters).push({ id, body, timestamp, attempts: 1, due: now(), size });
      }
    }
    if (failed) throw failure.error;
  }

  return {
    async deliver(queue, messages) {
      const delivery: QueueDelivery = { outcome: {}, retried: [], dead: [] };
      if (messages !== undefined) {
        const batch = [...messages].map((message) => ({
          id: message.id ?? crypto.randomUUID().replaceAll("-", ""),
          body: structuredClone(message.body),
          timestamp: message.timestamp ?? new Date(now()),
          attempts: message.attempts ?? 1,
        }));
        if (batch.length > 0) await deliverBatch(queue, batch, delivery);
        return delivery;
      }
      if (isPlatforms && !waiting.has(queue)) throw nothingWaits(queue);
      const list = inQueue(queue);
      const due = list.filter((message) => message.due <= now());
      list.splice(0, Infinity, ...list.filter((message) => message.due > now()));
      const { size } = consumerOf(platform, queue);
      while (due.length > 0) {
        try {
          await deliverBatch(queue, due.splice(0, size), delivery);
        } catch (error) {
          // What was not delivered goes on waiting.
          inQueue(queue).unshift(...due);
          throw error;
        }
      }
      return delivery;
    },
  };
}

function nothingWaits(queue: string): TestingError {
  return new TestingError(
    "RUNTIME",
    `ctx.queue("${queue}") was called without messages, and in workerd the platform itself delivers what the worker ` +
      `sends. Pass them, as in ctx.queue("${queue}", [{ body: … }]), or run the test in process.`,
  );
}

/** Runs a handler in this process with a batch. */
export async function handleBatch(
  queue: string,
  messages: readonly SentToHandler[],
  work: (batch: DeliveredBatch) => unknown,
): Promise<{ result: QueueResult; error?: unknown }> {
  const calls = createBatchCalls();
  const batch: DeliveredBatch = {
    queue,
    messages: messages.map(({ id, body, timestamp, attempts }) => ({
      id,
      body,
      timestamp,
      attempts,
      ack: () => calls.ack(id),
      retry: (options) => calls.retry(id, options),
    })),
    ackAll: calls.ackAll,
    retryAll: calls.retryAll,
  };
  try {
    await work(batch);
    return { result: calls.result };
  } catch (error) {
    return { result: calls.result, error };
  }
}

function consumerOf(
  { raw }: Platform,
  queue: string,
): { retries: number; size: number; delay: number; deadLetters: string | undefined } {
  const { consumers = [] } = Object(raw["queues"]) as { consumers?: Record<string, unknown>[] };
  const declared = consumers.find((consumer) => consumer["queue"] === queue) ?? {};
  const number = (key: string, usual: number) =>
    typeof declared[key] === "number" ? declared[key] : usual;
  const letters = declared["dead_letter_queue"];
  return {
    retries: number("max_retries", DEFAULT_RETRIES),
    size: number("max_batch_size", DEFAULT_BATCH),
    delay: number("retry_delay", 0),
    deadLetters: typeof letters === "string" ? letters : undefined,
  };
}
