import type { Mock } from "@vitest/spy";
import {
  createBatchCalls,
  outcomeOf,
  type QueueResult,
  type RetryOptions,
} from "../context/queue_batch.ts";
import { TestingError } from "../errors.ts";
import { fn } from "./mock_function.ts";

export type { QueueResult, RetryOptions };

/** Options for `createMockMessage()`. */
export interface MockMessageOptions<Body> {
  /** Body of the message; not copied. */
  body: Body;
  /** Its id. Default: 32 random hexadecimal digits, as the platform makes them. */
  id?: string;
  /** Number of deliveries, this one included. Default: 1. */
  attempts?: number;
  /** Time of sending. Default: now. */
  timestamp?: Date;
}

/** A queue message whose `ack` and `retry` are mock functions. */
export interface MockMessage<Body = unknown> {
  /** Names the message in `result()` and `outcome()` of a batch. */
  readonly id: string;
  /** Time of sending. */
  readonly timestamp: Date;
  /** Content of the message. */
  readonly body: Body;
  /** Number of deliveries, this one included. */
  readonly attempts: number;
  /** Acknowledges the message; `message.ack.mock.calls` records the calls. */
  ack: Mock<() => void>;
  /** Requests another delivery, after `delaySeconds` if given. */
  retry: Mock<(options?: RetryOptions) => void>;
}

/**
 * Creates a message for a queue handler that is called directly.
 * @param options Body and the other properties that the handler reads.
 * @example
 * ```ts
 * import { createMockMessage } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const message = createMockMessage({ body: { to: "ada@example.com" }, attempts: 2 });
 * if (message.attempts > 1) message.retry({ delaySeconds: 60 });
 * assert.deepEqual(message.retry.mock.calls, [[{ delaySeconds: 60 }]]);
 * assert.equal(message.ack.mock.calls.length, 0);
 * ```
 */
export function createMockMessage<Body>(options: MockMessageOptions<Body>): MockMessage<Body> {
  return {
    id: options.id ?? crypto.randomUUID().replaceAll("-", ""),
    timestamp: options.timestamp ?? new Date(),
    body: options.body,
    attempts: options.attempts ?? 1,
    ack: fn(() => {}).mockName("message.ack"),
    retry: fn((_options?: RetryOptions) => {}).mockName("message.retry"),
  };
}

/** A batch whose `ackAll` and `retryAll` are mock functions, as `ack` and `retry` of its messages are. */
export interface MockBatch<Body = unknown> {
  /** Name of the queue, by which a worker with several tells them apart. */
  readonly queue: string;
  /** The messages, each with mocks of its own. */
  readonly messages: readonly MockMessage<Body>[];
  /** Acknowledges all messages; `batch.ackAll.mock.calls` records the calls. */
  ackAll: Mock<() => void>;
  /** Requests another delivery of all messages, after `delaySeconds` if given. */
  retryAll: Mock<(options?: RetryOptions) => void>;
  /** Returns the result of the calls so far. */
  result(): QueueResult;
  /**
   * Returns the outcome of each message, by id, when the handler returns, or throws when `failed`
   * is set.
   */
  outcome(failed?: "failed"): Record<string, "ack" | "retry">;
}

/**
 * Creates a batch for a queue handler that is called directly. Of several calls, the platform's
 * rule decides which counts: the first of `ack` and `retry` for a message, the first of `ackAll`
 * and `retryAll` for the batch. A message's own call takes precedence over a later one for the
 * batch; after `ackAll` no call counts, after `retryAll` no `ack`. When the handler throws, all
 * messages that it has not acknowledged are delivered again.
 *
 * @param queue Name of the queue.
 * @param messages Messages, or options for `createMockMessage`.
 * @throws {TestingError} `DUPLICATE_MESSAGE` when two messages have the same id.
 * @see https://developers.cloudflare.com/queues/configuration/batching-retries/
 * @example
 * ```ts
 * import { createMockBatch } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const batch = createMockBatch("mails", [{ id: "a", body: 1 }, { id: "b", body: 2 }]);
 * batch.messages[0]?.retry({ delaySeconds: 30 });
 * assert.deepEqual(batch.result().retryMessages, [{ msgId: "a", delaySeconds: 30 }]);
 * assert.deepEqual(batch.outcome(), { a: "retry", b: "ack" });
 * ```
 */
export function createMockBatch<Body>(
  queue: string,
  messages: readonly (MockMessage<Body> | MockMessageOptions<Body>)[],
): MockBatch<Body> {
  const calls = createBatchCalls();
  const made = messages.map((given) => {
    const message = "ack" in given ? given : createMockMessage(given);
    message.ack.mockImplementation(() => calls.ack(message.id));
    message.retry.mockImplementation((options) => calls.retry(message.id, options));
    return message;
  });
  refuseEqualIds(made);

  return {
    queue,
    messages: made,
    ackAll: fn(() => calls.ackAll()).mockName("batch.ackAll"),
    retryAll: fn((options?: RetryOptions) => calls.retryAll(options)).mockName("batch.retryAll"),
    result: () => structuredClone(calls.result),
    outcome: (failed) => outcomeOf(made.map(({ id }) => id), calls.result, failed === "failed"),
  };
}

function refuseEqualIds(messages: readonly MockMessage[]): void {
  const ids = messages.map((message) => message.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice === undefined) return;
  throw new TestingError(
    "DUPLICATE_MESSAGE",
    `createMockBatch() was given two messages with the id "${twice}". Leave the ids out, or make ` +
      "them different.",
  );
}
