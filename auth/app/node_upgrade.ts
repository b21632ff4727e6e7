/**
 * Guard of WebSockets on Node's own servers.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { processEnvironment, waitUntil } from "../lib/runtime.ts";
import type { Auth } from "../session/context_auth.ts";
import { refusalOf, toRequest } from "./node_exchange.ts";
import { checkAtStart } from "./production.ts";

/** Listener of `"upgrade"` of `node:http`. */
export type NodeUpgradeListener = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => unknown;

/** Answers on a connection that switches to no other protocol, and ends it. */
async function refuse(response: Response, socket: Duplex): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  const { headers, status } = response;
  headers.set("connection", "close");
  headers.set("content-length", String(body.length));
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} \r\n${lines.join("")}\r\n`);
  socket.end(body);
}

/**
 * The listener of `"upgrade"` for `node:http` and `node:https`, and for every framework that a server of your own serves: it
 * puts the session around the application's listener, in which `getUser()`, `requireAuth()` and the like know the request.
 * Their errors are answered on the connection with 401 or 403, what is no request of the web platform with 400, and what
 * has as many headers as the server keeps with 431.
 *
 * The handshake of a WebSocket from a page of another site is answered with 403, and the listener is not called: such a page
 * could read all that the socket says to whoever looks at it. No cookie goes with a handshake: sign in and out by requests.
 *
 * What was asked for at the handshake stays with the socket: close those of a session that ends, by the id that
 * `getSession()` tells.
 *
 * @param auth What `createAuth()` returned. Options that are a function of the environment are given the variables of
 * the process.
 * @param listener Accepts the socket, as `handleUpgrade()` of ws does.
 * @throws {ConfigurationError} In production, for wrong options and without `baseUrl` or `allowedHosts`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, requireAuth } from "@framework/auth";
 * import { nodeAuth, nodeUpgrade } from "@framework/auth/node";
 * import { equal } from "node:assert/strict";
 * import { createServer, get } from "node:http";
 *
 * const auth = createAuth({ database: createMemoryStorage(), pages: { signIn: "/login" } });
 * const server = createServer(nodeAuth(auth));
 * server.on("upgrade", nodeUpgrade(auth, (_request, socket) => {
 *   const { name } = requireAuth({ throwError: true });
 *   // In an application: sockets.handleUpgrade(request, socket, head, …), of a WebSocketServer of ws.
 *   socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\nHello ${name}`);
 * }));
 * await new Promise<void>((resolve) => server.listen(0, resolve));
 * const { port } = server.address() as { port: number };
 * const headers = { connection: "Upgrade", upgrade: "websocket" };
 * const status = await new Promise((resolve) => {
 *   get({ port, headers }, (response) => resolve(response.resume().statusCode));
 * });
 * equal(status, 401);
 * server.close();
 * ```
 */
export function nodeUpgrade<Env>(
  auth: Auth<Env>,
  listener: NodeUpgradeListener,
): (...upgrade: Parameters<NodeUpgradeListener>) => Promise<void> {
  checkAtStart(auth);
  const env = processEnvironment() as Env;
  // Without a listener a connection that breaks, now or later, would end the process.
  const ignore = () => {};

  return async (incoming, socket, head) => {
    const { bytesWritten } = socket as Socket;
    socket.on("error", ignore);
    let request: Request;
    try {
      request = toRequest(incoming, socket);
    } catch {
      // No request of the web platform, which any client can send: no failure of the server.
      return await refuse(refusalOf(incoming), socket);
    }
    let isTaken = false;
    let response: Response;
    try {
      const info = { clientAddress: incoming.socket.remoteAddress, waitUntil };
      response = await auth.run(request, env, info, async () => {
        await listener(incoming, socket, head);
        isTaken = true;
        return new Response();
      });
    } catch (error) {
      // deno-lint-ignore no-console -- nobody else would tell of it
      console.error(error);
      response = new Response("Something went wrong", { status: 500 });
    }
    if (isTaken) return;
    // The listener has answered already.
    if ((socket as Socket).bytesWritten > bytesWritten) socket.destroy();
    else await refuse(response, socket);
  };
}
