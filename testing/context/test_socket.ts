import { TestingError } from "../errors.ts";
import type { Engine } from "./engine.ts";

/** WebSocket connection to the application. */
export interface TestWebSocket {
  /** Response that accepted the WebSocket: 101 with its headers. */
  readonly response: Response;
  /** Sends a message. */
  send(data: string | ArrayBuffer | ArrayBufferView): void;
  /**
   * Waits for the next message, in order of arrival, for at most ten seconds of real time.
   *
   * @throws {TestingError} `SOCKET_CLOSED` when the connection closes first, `SOCKET_FAILED` with its error as
   * `cause` when a handler or a listener of a socket throws first, `NO_MESSAGE` when no message arrives in time.
   */
  receive(): Promise<string | ArrayBuffer>;
  /**
   * Closes the connection.
   *
   * @param code Close code: 1000, or 3000 to 4999 for the application's own codes. Default: none.
   * @param reason Text of at most 123 bytes.
   */
  close(code?: number, reason?: string): void;
  /**
   * Resolves with the close code and reason once the connection has closed; 1005 means no code,
   * 1006 a lost connection.
   */
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** Options for `ctx.connect`. */
export interface ConnectOptions {
  /** Headers of the request. Default: those of a browser on the application's own page. */
  headers?: HeadersInit;
  /** Subprotocols to offer. Default: none. */
  protocols?: string[];
}

/** Part of a WebSocket that all engines have. */
interface PlatformSocket {
  binaryType?: string;
  accept(): void;
  send(data: string | ArrayBuffer | ArrayBufferView): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}

const PATIENCE = 10_000;

/**
 * Opens the socket of a response.
 *
 * @param response The application's answer to a request with `Upgrade: websocket`.
 * @param context `guard`: called before a message is sent; throws when the context has ended. `onSocketFailure`: that of the
 * engine that answers.
 * @throws {TestingError} `NO_SOCKET` when the status is not 101.
 */
export async function openTestSocket(
  response: Response,
  { guard, onSocketFailure }: Pick<Engine, "onSocketFailure"> & { guard(): void },
): Promise<TestWebSocket> {
  const socket = Reflect.get(response, "webSocket") as PlatformSocket | null | undefined;
  if (!socket) {
    const text = response.bodyUsed ? "" : (await response.text()).trim().slice(0, 200);
    throw new TestingError(
      "NO_SOCKET",
      `connect() opened no WebSocket, because the application answered ${response.status}. Answer with ` +
        "new Response(null, { status: 101, webSocket }). The body of the answer: " +
        JSON.stringify(text),
    );
  }
  const messages: (string | ArrayBuffer)[] = [];
  const waiting = new Set<
    { take(data: string | ArrayBuffer): void; end(error: TestingError): void }
  >();
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let ended: { code: number; reason: string } | undefined;

  socket.addEventListener("message", ({ data }: MessageEvent) => {
    const [first] = waiting;
    if (first === undefined) messages.push(data);
    else first.take(data);
  });
  socket.addEventListener("close", ({ code, reason }: { code: number; reason: string }) => {
    ended = { code, reason };
    for (const one of waiting) one.end(socketClosed(ended));
    closed.resolve(ended);
  });
  // Miniflare's sockets have no such property, and deliver buffers.
  if ("binaryType" in socket) socket.binaryType = "arraybuffer";
  socket.accept();

  return {
    response,
    closed: closed.promise,
    send(data) {
      guard();
      socket.send(data);
    },
    close: (code, reason) => code === undefined ? socket.close() : socket.close(code, reason ?? ""),
    async receive() {
      const data = messages.shift();
      if (data !== undefined) return data;
      return await new Promise((resolve, reject) => {
        let stop: (() => void) | undefined = undefined;
        // At once: what comes next is for the next receive().
        const finish = () => {
          waiting.delete(one);
          clearTimeout(timer);
          stop?.();
        };
        const one = {
          take(data: string | ArrayBuffer) {
            finish();
            resolve(data);
          },
          end(error: TestingError) {
            finish();
            reject(error);
          },
        };
        const timer = setTimeout(() => one.end(noMessage()), PATIENCE);
        waiting.add(one);
        // First what was thrown before: it may be why the connection has closed.
        stop = onSocketFailure?.((error) => one.end(failed(error)));
        if (ended !== undefined) one.end(socketClosed(ended));
      });
    },
  };
}

function socketClosed({ code, reason }: { code: number; reason: string }): TestingError {
  return new TestingError(
    "SOCKET_CLOSED",
    `receive() waited for a message, but the WebSocket was closed with code ${code}` +
      `${
        reason === "" ? "" : ` (${JSON.stringify(reason)})`
      }. Receive messages before the connection closes, or await \`closed\`.`,
  );
}

function failed(error: unknown): TestingError {
  return new TestingError(
    "SOCKET_FAILED",
    `receive() waited for a message, but the application threw: ${error}. Correct what its stack names, or send a ` +
      "message or a close code in the place of throwing.",
    { cause: error },
  );
}

function noMessage(): TestingError {
  return new TestingError(
    "NO_MESSAGE",
    `receive() waited ${
      PATIENCE / 1000
    } seconds, but the application sent no message. Check that it sends one.`,
  );
}
