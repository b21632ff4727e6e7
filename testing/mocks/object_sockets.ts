import type { MockMethod } from "./mock_types.ts";

const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 256;

/** A socket, as far as the state looks at it. */
export interface SocketLike {
  /** 3 and 2 are closed and closing, and such a socket is not listed. */
  readyState?: number;
}

/** The methods of a state that keep sockets while the object sleeps. */
export interface SocketMethods {
  acceptWebSocket(socket: SocketLike, tags?: string[]): void;
  // deno-lint-ignore no-explicit-any -- the sockets that the test passed, of whatever class.
  getWebSockets(tag?: string): any[];
  getTags(socket: SocketLike): string[];
  setWebSocketAutoResponse(pair?: unknown): void;
  getWebSocketAutoResponse(): unknown;
}

/** The same as mock functions. */
export type MockSockets = { [K in keyof SocketMethods]: MockMethod<SocketMethods[K]> };

/** Makes the methods over an empty list of sockets. */
export function createMockSockets(): SocketMethods {
  const accepted = new Map<SocketLike, string[]>();
  let autoResponse: unknown = null;
  return {
    acceptWebSocket(socket, tags = []) {
      if (accepted.has(socket)) {
        throw new Error("Cannot call `acceptWebSocket()` if the WebSocket was already accepted.");
      }
      checkTags(tags);
      accepted.set(socket, [...new Set(tags)]);
    },
    getWebSockets: (tag) =>
      [...accepted]
        .filter(([socket, tags]) =>
          !((socket.readyState ?? 1) >= 2) && (tag === undefined || tags.includes(tag))
        )
        .map(([socket]) => socket),
    getTags(socket) {
      const tags = accepted.get(socket);
      if (tags !== undefined) return [...tags];
      throw new Error("The WebSocket was not accepted by acceptWebSocket() of this state.");
    },
    setWebSocketAutoResponse(pair) {
      autoResponse = pair ?? null;
    },
    getWebSocketAutoResponse: () => autoResponse,
  };
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
