import { requireAuth } from "@framework/auth";
import { nodeUpgrade } from "@framework/auth/node";
import type { EventEmitter } from "node:events";
import { WebSocketServer } from "ws";
import { auth } from "./auth.ts";

const sockets = new WebSocketServer({ noServer: true });

export function openSockets(server: EventEmitter): void {
  const upgrade = nodeUpgrade(auth, (request, socket, head) => {
    const { name } = requireAuth({ throwError: true });
    sockets.handleUpgrade(request, socket, head, (webSocket) => webSocket.send(`Hello ${name}`));
  });
  server.on("upgrade", upgrade);
}
