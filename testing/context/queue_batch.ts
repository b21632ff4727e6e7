/** Delay before the platform delivers again. */
export interface RetryOptions {
  /** Minimum delay before the next delivery, in seconds. Default: that of the queue. */
  delaySeconds?: number;
}

/** Result of a handler for its batch, in the form in which the platform reports it. */
export interface QueueResult {
  /** True when every message without a call of its own is acknowledged. */
  ackAll: boolean;
  /** Retry of every message without a call of its own, with its delay. */
  retryBatch: { retry: boolean; delaySeconds?: number };
  /** Ids of the messages acknowledged by name, in the order of the calls. */
  explicitAcks: string[];
  /** The messages to be delivered again by name, in the order of the calls. */
  retryMessages: { msgId: string; delaySeconds?: number }[];
}

/** Calls of a handler for its batch, by the platform's rule which of several counts. */
export interface BatchCalls {
  ack(id: string): void;
  retry(id: string, options?: RetryOptions): void;
  ackAll(): void;
  retryAll(options?: RetryOptions): void;
  /** Result of the calls so far. */
  readonly result: QueueResult;
}

/**
 * Creates the calls of one batch. The first of `ack` and `retry` for a message counts, and the first of `ackAll` and
 * `retryAll` for the batch; a message's own call takes precedence over a later one for the batch; after `ackAll` no call
 * counts, after `retryAll` no `ack`.
 *
 * @see https://developers.cloudflare.com/queues/configuration/batching-retries/
 */
export function createBatchCalls(): BatchCalls {
  const result: QueueResult = {
    ackAll: false,
    retryBatch: { retry: false },
    explicitAcks: [],
    retryMessages: [],
  };
  const isAcked = (id: string) => result.explicitAcks.includes(id);
  const isRetried = (id: string) => result.retryMessages.some((entry) => entry.msgId === id);
  return {
    result,
    ack(id) {
      if (result.ackAll || result.retryBatch.retry || isRetried(id) || isAcked(id)) return;
      result.explicitAcks.push(id);
    },
    retry(id, options) {
      if (result.ackAll || isAcked(id)) return;
      const next = { msgId: id, ...delayOf(options) };
      const index = result.retryMessages.findIndex((entry) => entry.msgId === id);
      result.retryMessages.splice(index === -1 ? result.retryMessages.length : index, 1, next);
    },
    ackAll() {
      if (!result.retryBatch.retry) result.ackAll = true;
    },
    retryAll(options) {
      if (!result.ackAll) {
        result.retryBatch = { ...result.retryBatch, retry: true, ...delayOf(options) };
      }
    },
  };
}

/**
 * Returns the outcome of each message.
 *
 * @param failed True when the handler has thrown: what it has not acknowledged is delivered again.
 */
export function outcomeOf(
  ids: readonly string[],
  { ackAll, retryBatch, explicitAcks, retryMessages }: QueueResult,
  failed: boolean,
): Record<string, "ack" | "retry"> {
  const others = ackAll || !(retryBatch.retry || failed);
  return Object.fromEntries(ids.map((id) => {
    if (retryMessages.some((entry) => entry.msgId === id)) return [id, "retry"];
    return [id, others || explicitAcks.includes(id) ? "ack" : "retry"];
  }));
}

function delayOf(options: RetryOptions | undefined): RetryOptions {
  return options?.delaySeconds === undefined ? {} : { delaySeconds: options.delaySeconds };
}
