import type { Platform } from "@framework/cli/project";
import { NotEmulatedError } from "../errors.ts";
import { PairedSocket, RECEIVE } from "../platform/web_socket.ts";
import { currentScope, noteFailure } from "./scope.ts";

let binaryType: "blob" | "arraybuffer" = "blob";

/**
 * Lets sockets give binary messages as the application's platform does.
 *
 * @see https://developers.cloudflare.com/workers/configuration/compatibility-flags/
 */
export function setBinaryType(
  { compatibilityDate, compatibilityFlags }: Pick<
    Platform,
    "compatibilityDate" | "compatibilityFlags"
  >,
): void {
  const isStandard = compatibilityFlags.includes("websocket_standard_binary_type") ||
    (compatibilityDate >= "2026-03-17" &&
      !compatibilityFlags.includes("no_websocket_standard_binary_type"));
  binaryType = isStandard ? "blob" : "arraybuffer";
}

/** Gives an application in process those globals of the platform that the runtime lacks, or refusals in their place. */
export function definePlatformGlobals(): void {
  define("HTMLRewriter", () =>
    class {
      constructor() {
        throw new NotEmulatedError("HTMLRewriter", "global");
      }
    });
  define("WebSocketRequestResponsePair", () =>
    class {
      constructor(readonly request: string, readonly response: string) {}
    });
  define("WebSocketPair", () => {
    // What a runtime without the pair cannot answer with.
    globalThis.Response = withSockets(globalThis.Response);
    return class {
      constructor() {
        Object.assign(this, PairedSocket.pair({ failed, binaryType }));
      }
    };
  });
}

function define(name: string, make: () => unknown): void {
  if (name in globalThis) return;
  Object.defineProperty(globalThis, name, {
    value: make(),
    configurable: true,
    writable: true,
  });
}

/** Outside of a context nobody else would hear of it. */
function failed(error: unknown): void {
  if (currentScope() !== undefined) return noteFailure(error);
  queueMicrotask(() => {
    throw error;
  });
}

/** The class of responses, which are the runtime's own, with 101 for those that have a `webSocket`. */
function withSockets(Native: typeof Response): typeof Response {
  const withSockets: typeof Response = new Proxy(Native, {
    construct(target, [body, init], newTarget) {
      const Class = newTarget === withSockets ? target : newTarget;
      const webSocket = init?.webSocket ?? null;
      if (webSocket === null) {
        return Reflect.construct(target, init === undefined ? [body] : [body, init], Class);
      }
      if (init.status !== 101) {
        throw new RangeError("Responses with a WebSocket must have status code 101.");
      }
      if (webSocket instanceof PairedSocket && webSocket[RECEIVE] === undefined) {
        throw new TypeError("Can't return WebSocket in a Response after calling accept().");
      }
      const { headers, statusText = "" } = init;
      const response = Reflect.construct(target, [null, { headers, statusText }], Class);
      return Object.defineProperties(response, {
        status: { value: 101 },
        ok: { value: false },
        webSocket: { value: webSocket },
      });
    },
  });
  return withSockets;
}
