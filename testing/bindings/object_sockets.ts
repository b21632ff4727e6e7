const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 256;

/** A socket, as far as the state looks at it. */
export interface SocketLike {
  /** 3 and 2 are closed and closing, and such a socket is not listed. */
  readyState?: number;
}

/** The methods of a state that keep sockets while the object sleeps. */
export interface SocketMethods {
  /** Keeps a socket for the object, also while it sleeps, with at most 10 tags to find it by. */
  acceptWebSocket(socket: SocketLike, tags?: string[]): void;
  /** The sockets that were accepted and are open: all, or those with a tag. */
  // deno-lint-ignore no-explicit-any -- the sockets that the test passed, of whatever class.
  getWebSockets(tag?: string): any[];
  /** The tags with which a socket was accepted. */
  getTags(socket: SocketLike): string[];
  /** Says what is answered to what without waking the object; nothing takes it away. */
  setWebSocketAutoResponse(pair?: unknown): void;
  /** What was set last; null when nothing is. */
  getWebSocketAutoResponse(): unknown;
}

/** Makes the methods over an empty list of sockets. */
export function createSocketMethods(): SocketMethods {
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
