import { AsyncLocalStorage } from "node:async_hooks";

/** Event at one end of a pair. */
export type SocketEvent =
  | { type: "message"; data: string | ArrayBuffer }
  | { type: "close"; code: number; reason: string; wasClean: boolean };

/**
 * Receives events; the function passed with a close event answers it, unless the receiver closes
 * the socket itself.
 */
export type Receive = (event: SocketEvent, answer: () => void) => void;

/** Key of the method that sends an end's events to a function, in place of `accept()`. */
export const RECEIVE: unique symbol = Symbol("receive");
/** Key of the method that drops a connection without a closing handshake, as when its object is reset. */
export const LOSE: unique symbol = Symbol("lose");

/** Options for a pair. */
export interface SocketOptions {
  /** Receives errors of listeners. */
  failed(error: unknown): void;
  /** Initial `binaryType` of both ends. */
  binaryType: "blob" | "arraybuffer";
}

type Listener = EventListenerOrEventListenerObject;

/**
 * One end of a `WebSocketPair`, like the platform's: it buffers events until it is accepted, and
 * answers a close frame with one.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/websockets/
 */
export class PairedSocket extends EventTarget {
  static readonly READY_STATE_CONNECTING = 0;
  static readonly READY_STATE_OPEN = 1;
  static readonly READY_STATE_CLOSING = 2;
  static readonly READY_STATE_CLOSED = 3;

  /** Type of binary messages: "blob" or "arraybuffer". */
  binaryType: string;

  readonly #failed: (error: unknown) => void;
  readonly #listeners = new Map<Listener, (event: Event) => Promise<void>>();
  readonly #waiting: SocketEvent[] = [];
  #peer!: PairedSocket;
  #receive: Receive | undefined;
  #isAccepted = false;
  #hasClosed = false;
  #isClosed = false;
  #attachment: unknown = null;

  private constructor({ failed, binaryType }: SocketOptions) {
    super();
    this.#failed = failed;
    this.binaryType = binaryType;
  }

  /** Creates a pair of connected ends. */
  static pair(options: SocketOptions): [PairedSocket, PairedSocket] {
    const ends: [PairedSocket, PairedSocket] = [
      new PairedSocket(options),
      new PairedSocket(options),
    ];
    [ends[0].#peer, ends[1].#peer] = [ends[1], ends[0]];
    return ends;
  }

  get readyState(): number {
    if (this.#hasClosed && this.#isClosed) return 3;
    return this.#hasClosed || this.#isClosed ? 2 : 1;
  }

  /** Undefined once the end was accepted, by `accept()` or a durable object's state. */
  get [RECEIVE](): ((receive: Receive) => void) | undefined {
    return this.#receive === undefined ? (receive) => this.#start(receive) : undefined;
  }

  accept(): void {
    if (this.#isAccepted) return;
    if (this.#receive !== undefined) {
      throw new TypeError("Can't accept() WebSocket after enabling hibernation.");
    }
    this.#isAccepted = true;
    // Listeners run in the context of the request that accepted the socket, even when a later one sends.
    const inContext = AsyncLocalStorage.snapshot();
    this.#start((event, answer) => {
      if (event.type === "close") answer();
      inContext(() => this.dispatchEvent(eventOf(event, this.binaryType)));
    });
  }

  send(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#demandAccepted();
    if (this.#hasClosed) throw new TypeError("Can't call WebSocket send() after close().");
    this.#peer.#take({ type: "message", data: copyOf(data) });
  }

  close(code?: number, reason?: string): void {
    this.#demandAccepted();
    if (code === undefined && reason !== undefined) {
      throw new DOMException(
        "If you specify a WebSocket close reason, you must also specify a code.",
        "InvalidAccessError",
      );
    }
    if (code !== undefined && !isCloseCode(code)) {
      throw new DOMException(`Invalid WebSocket close code: ${code}.`, "InvalidAccessError");
    }
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    this.#peer.#take({ type: "close", code: code ?? 1005, reason: reason ?? "", wasClean: true });
  }

  /** Stores a copy of a value with the end, for a hibernating object. */
  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value);
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment);
  }

  override addEventListener(
    type: string,
    listener: Listener | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    if (listener === null) return;
    const guarded = this.#listeners.get(listener) ?? (async (event: Event) => {
      try {
        await (typeof listener === "function"
          ? listener.call(this, event)
          : listener.handleEvent(event));
      } catch (error) {
        this.#failed(error);
      }
    });
    this.#listeners.set(listener, guarded);
    super.addEventListener(type, guarded, options);
  }

  override removeEventListener(
    type: string,
    listener: Listener | null,
    options?: EventListenerOptions | boolean,
  ): void {
    super.removeEventListener(type, listener && (this.#listeners.get(listener) ?? null), options);
  }

  [LOSE](): void {
    if (this.readyState === 3) return;
    this.#hasClosed = this.#isClosed = true;
    this.#peer.#hasClosed = true;
    this.#peer.#take({ type: "close", code: 1006, reason: "", wasClean: false });
  }

  #start(receive: Receive): void {
    this.#receive = receive;
    for (const event of this.#waiting.splice(0)) this.#take(event);
  }

  /** Queues an event, so that it is delivered after the sender's current code. */
  #take(event: SocketEvent): void {
    const receive = this.#receive;
    if (receive === undefined) {
      this.#waiting.push(event);
      return;
    }
    queueMicrotask(() => {
      if (this.#isClosed) return;
      if (event.type === "close") this.#isClosed = true;
      receive(event, () => {
        if (this.#hasClosed) return;
        this.#hasClosed = true;
        this.#peer.#take(event);
      });
    });
  }

  #demandAccepted(): void {
    if (this.#receive !== undefined) return;
    throw new TypeError(
      "You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending messages.",
    );
  }
}

/**
 * Checks a response that leaves a worker or an object.
 *
 * @throws {TypeError} When its socket was accepted: it can be either here or at whoever asked.
 */
export function checkSocket<Given>(response: Given): Given {
  const socket = (response as { webSocket?: unknown } | null | undefined)?.webSocket;
  if (socket instanceof PairedSocket && socket[RECEIVE] === undefined) {
    throw new TypeError("Can't return WebSocket in a Response after calling accept().");
  }
  return response;
}

function eventOf(event: SocketEvent, binaryType: string): Event {
  if (event.type === "message") {
    const isBlob = typeof event.data !== "string" && binaryType === "blob";
    return new MessageEvent("message", { data: isBlob ? new Blob([event.data]) : event.data });
  }
  const { code, reason, wasClean } = event;
  // Node 22 has no CloseEvent.
  return Object.assign(new Event("close"), { code, reason, wasClean });
}

function copyOf(data: string | ArrayBuffer | ArrayBufferView): string | ArrayBuffer {
  if (data instanceof ArrayBuffer) return data.slice(0);
  if (!ArrayBuffer.isView(data)) return String(data);
  const { buffer, byteOffset, byteLength } = data;
  return new Uint8Array(buffer, byteOffset, byteLength).slice().buffer;
}

/** RFC 6455, section 7.4: some codes are never sent. */
function isCloseCode(code: number): boolean {
  return code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);
}
