import type { Mock } from "@vitest/spy";
import { fn } from "./mock_functions.ts";

/** How long the platform shall wait before it delivers again. */
export interface RetryOptions {
  /** Seconds until the next delivery, at the earliest. */
  delaySeconds?: number;
}

/** What `createMockMessage` takes. */
export interface MockMessageOptions<Body> {
  /** What the handler finds in `message.body`, as it is: no copy. */
  body: Body;
  /** Its id. Default: 32 random hexadecimal digits, as the platform makes them. */
  id?: string;
  /** How often it has been delivered, this delivery included. Default: 1. */
  attempts?: number;
  /** When it was sent. Default: now. */
  timestamp?: Date;
}

/** A queue message whose `ack` and `retry` are mock functions. */
export interface MockMessage<Body = unknown> {
  /** Names the message in `result()` and `outcome()` of a batch. */
  readonly id: string;
  /** When it was sent. */
  readonly timestamp: Date;
  /** What was sent. */
  readonly body: Body;
  /** How often it has been delivered, this time included. */
  readonly attempts: number;
  /** Done with it: `message.ack.mock.calls` says how often it was said. */
  ack: Mock<() => void>;
  /** Once more, after `delaySeconds` if given. */
  retry: Mock<(options?: RetryOptions) => void>;
}

/**
 * Makes a message for a queue handler that is called directly.
 *
 * @param options Body, and what else the handler looks at.
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
