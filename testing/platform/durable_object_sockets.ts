import { LOSE, PairedSocket, RECEIVE, type SocketEvent } from "./web_socket.ts";

const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 256;
const MAX_TIMEOUT = 604_800_000;

/** Part of a socket that the state uses. */
export interface SocketLike {
  /** Ready state; a closing (2) or closed (3) socket is not listed. */
  readyState?: number;
}

/** Methods of a state for hibernatable WebSockets. */
export interface SocketMethods {
  /** Accepts a socket that survives the object's hibernation, with at most 10 tags to find it by. */
  acceptWebSocket(socket: SocketLike, tags?: string[]): void;
  /** Returns the accepted sockets that are open: all, or those with a tag. */
  // deno-lint-ignore no-explicit-any -- the sockets that the test passed, of whatever class.
  getWebSockets(tag?: string): any[];
  /** Returns the tags with which a socket was accepted. */
  getTags(socket: SocketLike): string[];
  /**
   * Sets the response to a message that is answered without waking the object; without a pair,
   * removes it.
   */
  setWebSocketAutoResponse(pair?: unknown): void;
  /** Returns the current pair; null when none is set. */
  getWebSocketAutoResponse(): unknown;
  /** Returns the time of the last automatic response to a socket; null when there was none. */
  getWebSocketAutoResponseTimestamp(socket: SocketLike): Date | null;
  /**
   * Limits how long a handler of a socket's events may take, in milliseconds, at most seven days; without a value or with 0,
   * removes the limit. A double ends no handler.
   */
  setHibernatableWebSocketEventTimeout(timeout?: number): void;
  /** Returns that limit in milliseconds; null when there is none. */
  getHibernatableWebSocketEventTimeout(): number | null;
}

/** Handlers of an object for its hibernatable WebSockets. */
interface SocketHandlers {
  webSocketMessage?(socket: SocketLike, data: string | ArrayBuffer): unknown;
  webSocketClose?(socket: SocketLike, code: number, reason: string, wasClean: boolean): unknown;
}

/** Sockets of one instance of an object. */
export interface ObjectSockets {
  methods: SocketMethods;
  /** Ends the connections, as when the object is reset. */
  lose(): void;
}

/**
 * Creates the methods with an empty list of sockets.
 *
 * @param deliver Delivers events of a socket to the object. Default: they are dropped.
 * @see https://developers.cloudflare.com/durable-objects/best-practices/websockets/
 */
export function createObjectSockets(
  deliver: (event: (object: object) => unknown) => void = () => {},
): ObjectSockets {
  const accepted = new Map<SocketLike, string[]>();
  const answered = new Map<SocketLike, Date>();
  let autoResponse: AutoResponse | null = null;
  let timeout: number | null = null;

  function receive(socket: PairedSocket, event: SocketEvent, answer: () => void): void {
    if (event.type === "message" && event.data === autoResponse?.request) {
      answered.set(socket, new Date());
      if (socket.readyState === 1) socket.send(autoResponse.response);
      return;
    }
    deliver(async (object: SocketHandlers) => {
      if (event.type === "message") {
        await object.webSocketMessage?.(socket, event.data);
        return;
      }
      const { code, reason, wasClean } = event;
      try {
        await object.webSocketClose?.(socket, code, reason, wasClean);
      } finally {
        accepted.delete(socket);
        answer();
      }
    });
  }

  const methods: SocketMethods = {
    acceptWebSocket(socket, tags = []) {
      if (accepted.has(socket)) {
        throw new Error("Cannot call `acceptWebSocket()` if the WebSocket was already accepted.");
      }
      checkTags(tags);
      if (socket instanceof PairedSocket) {
        if (socket[RECEIVE] === undefined) {
          throw new Error("Cannot call `acceptWebSocket()` if the WebSocket was already accepted.");
        }
        socket[RECEIVE]((event, answer) => receive(socket, event, answer));
      }
      accepted.set(socket, [...new Set(tags)]);
    },
    getWebSockets: (tag) =>
      [...accepted]
        .filter(([socket, tags]) =>
          // A socket is listed until the object has received its close event, as on the platform.
          (socket instanceof PairedSocket || !((socket.readyState ?? 1) >= 2)) &&
          (tag === undefined || tags.includes(tag))
        )
        .map(([socket]) => socket),
    getTags(socket) {
      const tags = accepted.get(socket);
      if (tags !== undefined) return [...tags];
      throw new Error("The WebSocket was not accepted by acceptWebSocket() of this state.");
    },
    setWebSocketAutoResponse(pair) {
      autoResponse = pair as AutoResponse | undefined ?? null;
    },
    getWebSocketAutoResponse: () => autoResponse,
    getWebSocketAutoResponseTimestamp: (socket) => answered.get(socket) ?? null,
    setHibernatableWebSocketEventTimeout(given = 0) {
      if (given > MAX_TIMEOUT) {
        throw new Error("Event timeout should not exceed 604800000 ms.");
      }
      timeout = given === 0 ? null : given;
    },
    getHibernatableWebSocketEventTimeout: () => timeout,
  };
  return {
    methods,
    lose() {
      for (const socket of accepted.keys()) if (socket instanceof PairedSocket) socket[LOSE]();
    },
  };
}

/** Contents of a `WebSocketRequestResponsePair`. */
interface AutoResponse {
  request: string;
  response: string;
}

/** @see https://developers.cloudflare.com/durable-objects/api/state/#acceptwebsocket */
function checkTags(tags: string[]): void {
  if (tags.length > MAX_TAGS) {
    throw new Error(`a Hibernatable WebSocket cannot have more than ${MAX_TAGS} tags`);
  }
  const long = tags.find((tag) => tag.length > MAX_TAG_LENGTH);
  if (long !== undefined) {
    throw new Error(`"${long}" is longer than the max tag length (${MAX_TAG_LENGTH} characters).`);
  }
}
