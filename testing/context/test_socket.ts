import { TestingError } from "../errors.ts";

/** A WebSocket to the application, as a browser has it. */
export interface TestWebSocket {
  /** The answer by which the application took the socket: 101, with its headers. */
  readonly response: Response;
  /** Sends a message. */
  send(data: string | ArrayBuffer | ArrayBufferView): void;
  /**
   * Waits for the next message, in the order in which they came; at most ten seconds, of the real time.
   *
   * @throws {TestingError} `SOCKET_CLOSED` when the connection ends before, `NO_MESSAGE` when none comes.
   */
  receive(): Promise<string | ArrayBuffer>;
  /**
   * Closes the connection.
   *
   * @param code 1000, or 3000 to 4999 for an application's own. Default: none.
   * @param reason Text of at most 123 bytes.
   */
  close(code?: number, reason?: string): void;
  /**
   * Resolves with the close code and reason once the connection has ended; 1005 stands for no code,
   * 1006 for a connection that was lost.
   */
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** Options for `ctx.connect`. */
export interface ConnectOptions {
  /** Headers of the request. Default: those of a browser on the application's own page. */
  headers?: HeadersInit;
  /** Subprotocols to choose from. Default: none. */
  protocols?: string[];
}

/** The platform's sockets, of whatever engine. */
interface PlatformSocket {
  binaryType?: string;
  accept(): void;
  send(data: string | ArrayBuffer | ArrayBufferView): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}

const PATIENCE = 10_000;

/**
 * Takes the socket of a response.
 *
 * @param response What the application answered to a request with `Upgrade: websocket`.
 * @param guard Called before a message is sent; throws when the context has ended.
 * @throws {TestingError} `NO_SOCKET` when it is not 101.
 */
export async function openTestSocket(
  response: Response,
  guard: () => void,
): Promise<TestWebSocket> {
  const socket = Reflect.get(response, "webSocket") as PlatformSocket | null | undefined;
  if (!socket) {
    const text = response.bodyUsed ? "" : (await response.text()).trim().slice(0, 200);
    throw new TestingError(
      "NO_SOCKET",
      `connect() was answered ${response.status}, and opened no WebSocket. Answer with ` +
        "new Response(null, { status: 101, webSocket }). The answer says: " + JSON.stringify(text),
    );
  }
  const messages: (string | ArrayBuffer)[] = [];
  const waiting: { take(data: string | ArrayBuffer): void; end(): void }[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let ended: { code: number; reason: string } | undefined;

  socket.addEventListener("message", ({ data }: MessageEvent) => {
    const first = waiting.shift();
    if (first === undefined) messages.push(data);
    else first.take(data);
  });
  socket.addEventListener("close", ({ code, reason }: { code: number; reason: string }) => {
    ended = { code, reason };
    for (const one of waiting.splice(0)) one.end();
    closed.resolve(ended);
  });
  // Miniflare's own have no such choice, and give buffers.
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
    receive() {
      const data = messages.shift();
      if (data !== undefined) return Promise.resolve(data);
      if (ended !== undefined) return Promise.reject(socketClosed(ended));
      return new Promise((resolve, reject) => {
        const one = {
          take(data: string | ArrayBuffer) {
            clearTimeout(timer);
            resolve(data);
          },
          end() {
            clearTimeout(timer);
            reject(socketClosed(ended!));
          },
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(noMessage());
        }, PATIENCE);
        waiting.push(one);
      });
    },
  };
}

function socketClosed({ code, reason }: { code: number; reason: string }): TestingError {
  return new TestingError(
    "SOCKET_CLOSED",
    `receive() waited for a message, and the WebSocket was closed with ${code}` +
      `${
        reason === "" ? "" : ` (${JSON.stringify(reason)})`
      }. Read what comes before, or await \`closed\`.`,
  );
}

function noMessage(): TestingError {
  return new TestingError(
    "NO_MESSAGE",
    `receive() waited ${PATIENCE / 1000} seconds, and the application sent no message.`,
  );
}
