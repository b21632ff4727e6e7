import {
  Agent,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

/** Hop-by-hop headers (RFC 9110, section 7.6.1): they describe one connection, not the message. */
const perConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Passes requests on to the worker. */
export interface Proxy {
  /** Answers with the worker's response. Rejects only while nothing has been sent. */
  pass(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Connects a client that asks for another protocol, as web sockets do, with the worker. */
  upgrade(request: IncomingMessage, client: Duplex, head: Uint8Array): void;
  close(): void;
}

/** Makes a proxy to one start of the worker: its connections end with it. */
export function createProxy(target: string): Proxy {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  return {
    pass: (incoming, response) =>
      new Promise((resolve, reject) => {
        const outgoing = httpRequest({
          hostname,
          port,
          agent,
          method: incoming.method,
          path: incoming.url,
          headers: requestHeaders(incoming),
        });
        outgoing.on("response", (answer) => {
          response.writeHead(
            answer.statusCode ?? 502,
            answer.statusMessage,
            responseHeaders(answer),
          );
          answer.on("error", () => response.destroy());
          answer.pipe(response);
        });
        // Also when the browser gives up before the worker has answered.
        response.on("close", () => {
          outgoing.destroy();
          resolve();
        });
        outgoing.on("error", (error) => {
          if (response.headersSent) response.destroy();
          else reject(error);
        });
        incoming.pipe(outgoing);
      }),
    upgrade(incoming, client, head) {
      const worker = connect(Number(port), hostname, () => {
        worker.write(upgradeHead(incoming));
        worker.write(head);
        worker.pipe(client).pipe(worker);
      });
      worker.on("error", () => client.destroy());
      client.on("error", () => worker.destroy());
    },
    close: () => agent.destroy(),
  };
}

/**
 * The browser's headers as they came, in particular Host, from which the worker's `request.url` is made. What only the
 * emulator or the platform may set is taken out: a page could otherwise choose its own address or client address.
 */
function requestHeaders(
  { rawHeaders, socket }: IncomingMessage,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (perConnection.has(key) || key.startsWith("mf-") || key.startsWith("cf-")) continue;
    const before = headers[key];
    headers[key] = before === undefined ? value : [before, value].flat();
  }
  headers["cf-connecting-ip"] = socket.remoteAddress ?? "127.0.0.1";
  return headers;
}

function upgradeHead(incoming: IncomingMessage): string {
  const headers = {
    ...requestHeaders(incoming),
    connection: "Upgrade",
    upgrade: incoming.headers.upgrade ?? "websocket",
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`)
  );
  return [`${incoming.method} ${incoming.url} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

function responseHeaders({ rawHeaders }: IncomingMessage): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    if (perConnection.has(name.toLowerCase())) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

function* pairs(rawHeaders: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    yield [rawHeaders[index]!, rawHeaders[index + 1]!];
  }
}
