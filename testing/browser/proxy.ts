import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TestingError } from "../errors.ts";
import { type Answers, headersOf } from "./answers.ts";

/** Server that answers whatever a browser asks of other machines. */
export interface Proxy {
  /** Address for the browser's settings. */
  readonly address: string;
  close(): void;
}

/** Headers between a browser and its proxy. */
const OWN = ["proxy-connection", "connection", "keep-alive", "transfer-encoding", "cookie"];

/**
 * Starts a proxy for a browser whose requests cannot be answered otherwise; it listens on this machine alone.
 *
 * @throws {TestingError} `NO_BROWSER` for an origin that is not `http:`, whose requests a proxy cannot read.
 */
export async function startProxy({ origin, answer, failed }: Answers): Promise<Proxy> {
  if (!origin.startsWith("http:")) {
    throw new TestingError(
      "NO_BROWSER",
      `Pages of ${origin} are opened in Chromium alone. Leave out the browser, or create the context with an origin that ` +
        'begins with "http:".',
    );
  }

  async function respond(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    if (URL.parse(asked.url ?? "")?.origin !== origin) {
      response.destroy();
      return;
    }
    const made = await answer(await requestOf(asked));
    response.writeHead(made.status, headersOf(made).flat());
    response.end(new Uint8Array(await made.arrayBuffer()));
  }

  const server = createServer((asked, response) => {
    respond(asked, response).catch((error) => {
      failed(error);
      response.destroy();
    });
  });
  // Other origins: of https, and of WebSockets, which reach the application in another way.
  server.on("connect", (_asked, socket) => socket.destroy());
  server.on("upgrade", (_asked, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function requestOf(asked: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(asked.headersDistinct)) {
    if (OWN.includes(name)) continue;
    for (const value of values ?? []) headers.append(name, value);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of asked) chunks.push(chunk);
  const { method = "GET", url = "" } = asked;
  const isBare = method === "GET" || method === "HEAD";
  return new Request(url, {
    method,
    headers,
    body: isBare ? null : new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer()),
  });
}
