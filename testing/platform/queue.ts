/** Options for sending a message. */
export interface QueueSendOptions {
  /**
   * Encoding of the body: JSON, plain text, bytes, or a structured clone. Default: `json`.
   */
  contentType?: "json" | "text" | "bytes" | "v8";
  /** Delay before delivery, in whole seconds: at most 86400. */
  delaySeconds?: number;
}

/** A message of a batch to be sent. */
export interface QueueSendRequest<Body = unknown> extends QueueSendOptions {
  /** Content of the message, of a type that its content type allows. */
  body: Body;
}

/** A sent message, as its consumer would receive it. */
export interface SentMessage<Body = unknown> {
  /** 32 hexadecimal digits, made when it was sent. */
  readonly id: string;
  /** A copy, as the message would arrive. */
  readonly body: Body;
  /** Time of sending, by the test's clock. */
  readonly timestamp: Date;
  /** Number of deliveries, always 1. */
  readonly attempts: number;
}

/** A message that waits for `take`. */
export interface WaitingMessage<Body = unknown> extends SentMessage<Body> {
  /** Time from which it can be taken. */
  due: number;
  /** Bytes of its body. */
  size: number;
}

/** Number of waiting messages and their total size in bytes. */
export interface QueueMetrics {
  /** Number of messages. */
  backlogCount: number;
  /** Bytes of their bodies. */
  backlogBytes: number;
}

/** Queue metrics after sending. */
export interface QueueSendResult {
  /** Messages that wait now. */
  metadata: { metrics: QueueMetrics };
}

/** Queue with the platform's producer API. */
export interface QueueDouble<Body = unknown> {
  /** Sends one message: at most 128,000 bytes, `json` by default. */
  send(body: Body, options?: QueueSendOptions): Promise<QueueSendResult>;
  /** Sends up to 100 messages of at most 256,000 bytes together, or none of them. */
  sendBatch(
    messages: Iterable<QueueSendRequest<Body>>,
    options?: Pick<QueueSendOptions, "delaySeconds">,
  ): Promise<QueueSendResult>;
  /** Tells what waits. */
  metrics(): Promise<QueueMetrics>;
  /**
   * Takes the messages whose delay has passed, in sending order. For tests; the platform has no
   * such method.
   */
  take(): SentMessage<Body>[];
}

const MAX_DELAY_SECONDS = 86_400;
const MAX_MESSAGE_BYTES = 128_000;
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 256_000;

/**
 * Creates a queue in memory whose delays pass by the given clock. Only `take` removes messages.
 *
 * @param options `now`: milliseconds since 1970; `guard`: called before each use; `waiting`: where
 * messages are stored. Default: an empty list.
 * @see https://developers.cloudflare.com/queues/configuration/javascript-apis/
 */
export function createQueue<Body = unknown>(
  options: { now: () => number; guard?: () => void; waiting?: WaitingMessage<Body>[] },
): QueueDouble<Body> {
  const { now, guard, waiting = [] } = options;

  function prepare(
    { body, contentType = "json", delaySeconds = 0 }: QueueSendRequest<Body>,
  ): { size: number; accept(): void } {
    checkDelay(delaySeconds);
    const { copy, size } = copyBody(body, contentType);
    checkSize(size, MAX_MESSAGE_BYTES, "message length");
    const message = {
      id: crypto.randomUUID().replaceAll("-", ""),
      body: copy as Body,
      timestamp: new Date(now()),
      attempts: 1,
      due: now() + Math.trunc(delaySeconds) * 1000,
      size,
    };
    return { size, accept: () => void waiting.push(message) };
  }

  function metrics(): QueueMetrics {
    const backlogBytes = waiting.reduce((sum, message) => sum + message.size, 0);
    return { backlogCount: waiting.length, backlogBytes };
  }

  const result = (): QueueSendResult => ({ metadata: { metrics: metrics() } });

  return {
    send: async (body, given = {}) => {
      guard?.();
      prepare({ ...given, body }).accept();
      return await Promise.resolve(result());
    },
    sendBatch: async (messages, given = {}) => {
      guard?.();
      const list = [...messages];
      if (list.length === 0) {
        throw new TypeError("sendBatch() requires at least one message");
      }
      if (list.length > MAX_BATCH) throw tooMany(list.length);
      // All or none: every message is checked before any is sent.
      const prepared = list.map((message) => prepare({ ...given, ...message }));
      const size = prepared.reduce((sum, message) => sum + message.size, 0);
      checkSize(size, MAX_BATCH_BYTES, "batch size");
      for (const message of prepared) message.accept();
      return await Promise.resolve(result());
    },
    metrics: async () => {
      guard?.();
      return await Promise.resolve(metrics());
    },
    take: () => {
      const due = waiting.filter((message) => message.due <= now());
      const later = waiting.filter((message) => message.due > now());
      waiting.splice(0, Infinity, ...later);
      return due.map(({ id, body, timestamp, attempts }) => ({ id, body, timestamp, attempts }));
    },
  };
}

/** A copy, as the message would arrive, and its length in bytes. */
function copyBody(
  body: unknown,
  contentType: NonNullable<QueueSendOptions["contentType"]>,
): { copy: unknown; size: number } {
  if (contentType === "text") {
    if (typeof body !== "string") throw wrongType("text", "string");
    return { copy: body, size: bytesOf(body) };
  }
  if (contentType === "bytes") {
    if (!ArrayBuffer.isView(body)) throw wrongType("bytes", "ArrayBufferView");
    const copy = Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
    return { copy, size: copy.length };
  }
  if (contentType === "v8") {
    if (body === undefined) throw new TypeError("Message body cannot be undefined");
    const copy = structuredClone(body);
    return { copy, size: bytesOf(JSON.stringify(copy) ?? "") };
  }
  if (contentType !== "json") {
    throw new TypeError(`Unsupported queue message content type: ${String(contentType)}`);
  }
  const text = JSON.stringify(body);
  if (text === undefined) {
    throw new TypeError("A queue message must be something that JSON can hold.");
  }
  return { copy: JSON.parse(text), size: bytesOf(text) };
}

function checkDelay(seconds: number): void {
  if (seconds >= 0 && seconds <= MAX_DELAY_SECONDS) return;
  throw new Error(
    "Queue send failed: Bad Request: invalid delaySeconds, expected a number from 0 to " +
      `${MAX_DELAY_SECONDS}, found ${seconds}`,
  );
}

function checkSize(size: number, limit: number, what: string): void {
  if (size > limit) {
    throw new Error(`Queue send failed: ${what} of ${size} bytes exceeds limit of ${limit}`);
  }
}

function tooMany(count: number): Error {
  return new Error(
    `Queue sendBatch failed: batch message count of ${count} exceeds limit of ${MAX_BATCH}`,
  );
}

function wrongType(contentType: string, expected: string): TypeError {
  return new TypeError(
    `Content Type "${contentType}" requires a value of type ${expected}, but received: [object].`,
  );
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
