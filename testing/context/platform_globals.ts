import type { Platform } from "@framework/cli/project";
import { timingSafeEqual } from "node:crypto";
import { createHtmlRewriterClass } from "../platform/html_rewriter.ts";
import { createCacheStorage } from "./platform_caches.ts";
import { createScheduler } from "../platform/scheduler.ts";
import { PairedSocket } from "../platform/web_socket.ts";
import { currentScope, noteSocketFailure } from "./scope.ts";

let binaryType: "blob" | "arraybuffer" = "blob";

/**
 * Sets the type of binary WebSocket messages by the application's compatibility date.
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

/**
 * Defines the platform's globals that the runtime lacks, for an application in process; those that
 * are not emulated throw when used.
 */
export function definePlatformGlobals(): void {
  if (!("timingSafeEqual" in crypto.subtle)) {
    Object.defineProperty(SubtleCrypto.prototype, "timingSafeEqual", {
      value: compareBytes,
      configurable: true,
      writable: true,
    });
  }
  define("scheduler", createScheduler);
  // Deno has caches of its own, which lack `default` and outlive a test.
  const { caches } = globalThis as { caches?: CacheStorage };
  if (caches === undefined || !("default" in caches)) {
    Object.defineProperty(globalThis, "caches", {
      value: createCacheStorage(caches),
      configurable: true,
      writable: true,
    });
  }
  define("HTMLRewriter", () => createHtmlRewriterClass());
  define("WebSocketRequestResponsePair", () =>
    class {
      constructor(readonly request: string, readonly response: string) {}
    });
  define("WebSocketPair", () => {
    // Status that a runtime without WebSocketPair cannot answer with.
    globalThis.Response = withSockets(globalThis.Response);
    return class {
      constructor() {
        Object.assign(this, PairedSocket.pair({ failed, binaryType }));
      }
    };
  });
}

/** Stands in for `crypto.subtle.timingSafeEqual`. */
function compareBytes(a: ArrayBuffer | ArrayBufferView, b: ArrayBuffer | ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) {
    throw new TypeError("Input buffers must have the same byte length.");
  }
  return timingSafeEqual(bytesOf(a), bytesOf(b));
}

function bytesOf(given: ArrayBuffer | ArrayBufferView): Uint8Array {
  return given instanceof ArrayBuffer
    ? new Uint8Array(given)
    : new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
}

function define(name: string, make: () => unknown): void {
  if (name in globalThis) return;
  Object.defineProperty(globalThis, name, {
    value: make(),
    configurable: true,
    writable: true,
  });
}

/** Reports an error of a socket; outside of a context it is thrown, because nothing else would show it. */
function failed(error: unknown): void {
  if (currentScope() !== undefined) return noteSocketFailure(error);
  queueMicrotask(() => {
    throw error;
  });
}

/** Extends the runtime's `Response` with status 101 for responses that have a `webSocket`. */
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
