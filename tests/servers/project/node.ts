import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * The request of the web platform. Its body is read from the connection only when it is asked for, and can be read
 * once: a body parser that ran before has left nothing of it.
 */
export function toRequest(
  incoming: IncomingMessage,
  withBody = false,
  outgoing?: ServerResponse,
): Request {
  if (withBody && incoming.readableDidRead) {
    throw new Error("The body has been read: place the session before express.json() and the like");
  }
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, value.toString());
  }
  const body = withBody && method !== "GET" && method !== "HEAD"
    ? Readable.toWeb(incoming) as ReadableStream
    : null;
  // Joined, not resolved: for "//evil.example/" a resolver would take the host out of the path. A Host with more in it
  // than a name and a port would take the path's place; by the header itself auth answers it with 400.
  const { host = "" } = incoming.headers;
  const isHost = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
  const address = `http://${isHost ? host : "localhost"}${url}`;
  const end = new AbortController(); // who hangs up leaves the queue of password hashes
  outgoing?.once("close", () => end.abort());
  const { signal } = end;
  return new Request(address, { method, headers, body, signal, duplex: "half" } as RequestInit);
}

export async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing);
}
