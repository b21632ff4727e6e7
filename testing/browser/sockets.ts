import { Buffer } from "node:buffer";
import type { Page, WebSocketRoute } from "playwright-core";
import type { TestWebSocket } from "../context/test_socket.ts";
import { TestingError } from "../errors.ts";

/** Opens a WebSocket to the application. */
export type Connect = (url: string, protocols: string[]) => Promise<TestWebSocket>;

/**
 * Connects the WebSockets of a page to the application: they are no requests that the DevTools protocol could answer.
 *
 * @param page The page, before it is opened.
 * @param connect Opens one at the application; undefined where there is none, and every socket is refused.
 * @param options The application's origin: sockets to any other are refused. `failed` hears unexpected errors.
 * @returns Closes those that are open.
 */
export async function connectSockets(
  page: Page,
  connect: Connect | undefined,
  { origin, failed }: { origin: string; failed(error: unknown): void },
): Promise<() => void> {
  const open = new Set<TestWebSocket>();
  await page.routeWebSocket(() => true, async (route) => {
    const url = route.url().replace(/^ws/, "http");
    if (connect === undefined || new URL(url).origin !== origin) return await refuse(route);
    try {
      const socket = await connect(url, route.protocols());
      open.add(socket);
      route.onMessage((data) => socket.send(data));
      route.onClose((code, reason) => socket.close(code, reason));
      void passOn(socket, route).catch(() => {}).finally(() => open.delete(socket));
    } catch (error) {
      if (!hasCode(error, "NO_SOCKET")) failed(error);
      await refuse(route);
    }
  });
  return () => {
    for (const socket of open) socket.close();
  };
}

/** A handshake that fails is a lost connection for the page (RFC 6455, 7.1.5). */
async function refuse(route: WebSocketRoute): Promise<void> {
  await route.close({ code: 1006 });
}

async function passOn(socket: TestWebSocket, route: WebSocketRoute): Promise<void> {
  for (;;) {
    try {
      const data = await socket.receive();
      route.send(typeof data === "string" ? data : Buffer.from(data));
    } catch (error) {
      if (hasCode(error, "NO_MESSAGE")) continue;
      const { code, reason } = await socket.closed;
      // 1005 stands for no code, which nobody may send.
      return await route.close(code === 1005 ? {} : { code, reason });
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof TestingError && error.code === code;
}
