import process from "node:process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Setting } from "./contender.ts";
import type { Peers } from "./peers.ts";
import type { Handler } from "./programs/handlers.ts";
import { isPrimary, serveInCluster, startCluster } from "./serve_cluster.ts";
import type { WorkerBindings } from "./serve_worker.ts";

/** Handlers by name. */
export type Handlers = Record<string, (setting: Setting) => Promise<Handler>>;

/** Makes the worker that is one handler; `/cookie` tells what somebody who is signed in sends. */
export function serveHandlerWorker(
  handlers: Handlers,
  peers: Peers,
): { fetch(request: Request, bindings: WorkerBindings): Promise<Response> } {
  let handler: Handler | undefined;
  return {
    async fetch(request, bindings) {
      handler ??= await handlers[bindings.CONTENDER]!({ peers, bindings });
      if (new URL(request.url).pathname === "/cookie") return new Response(handler.cookie);
      return await handler.fetch(request);
    },
  };
}

async function answer(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (incoming.url === "/cookie") {
    outgoing.end(handler.cookie);
    return;
  }
  const { cookie = "", host } = incoming.headers;
  const request = new Request(`http://${host}${incoming.url}`, { headers: { cookie } });
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
}

/** Serves a handler on Node, on a free port, which is printed; by `BENCH_PROCESSES` processes, where there is such a number. */
export async function serveHandlerProcess(handlers: Handlers, peers: Peers): Promise<void> {
  const processes = Number(process.env.BENCH_PROCESSES ?? 0);
  if (processes > 0 && isPrimary()) return await startCluster(processes);
  const handler = await handlers[process.argv.at(-1)!]!({ peers, bindings: {} });
  function listener(incoming: IncomingMessage, outgoing: ServerResponse): void {
    answer(handler, incoming, outgoing).catch((error) => {
      process.stderr.write(`${error}\n`);
      outgoing.writeHead(500).end();
    });
  }
  if (processes > 0) return await serveInCluster(listener);
  const server = createServer(listener);
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ port })}\n`);
  });
}
